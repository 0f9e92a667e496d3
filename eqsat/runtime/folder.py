"""Checks of folders that hold code to be executed: nobody else may write them.

A cache holds compiled kernels and the source of kernels, so whoever can write it runs code in the processes that read it. The checks
are those that sshd makes before it trusts a file of keys (`StrictModes`).
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

PRIVATE = 0o700  # mode of folders
PRIVATE_FILE = 0o600  # mode of files
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class UnsafeFolderError(Exception):
    """Another user can write here, or could have; the message says how, and what to do about it."""


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents, accessible to their owner only. Existing folders stay as they are.

    Raises:
        OSError: a folder cannot be made.
    """
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for each in reversed(missing):
        each.mkdir(mode=PRIVATE, exist_ok=True)


def require_private(folder: Path, files: tuple[str, ...] = ()) -> None:
    """Check that only this user can write an existing folder, and the existing ones among `files` in it.

    The folders above it must not let others rename it: they are not writable by others, or are sticky as /tmp is. The nearest of them, unless
    it is sticky, must also belong to this user or root, and nobody else may write it. Owners of folders further up are trusted.
    On systems without such permissions nothing is checked.

    Raises:
        UnsafeFolderError: another user can write the folder or a file.
        OSError: the folder does not exist.
    """
    if not hasattr(os, "getuid"):
        return
    real = folder.resolve()
    _require_own(real, real.stat(), f"`chmod go-w {real}`")
    for name in files:
        file = real / name
        if file.is_symlink() or file.exists():
            status = file.lstat()
            _require_own(file, status, f"`rm {file}`")
            if not stat.S_ISREG(status.st_mode):
                raise UnsafeFolderError(f"{file} is no plain file; try `rm {file}`")
    for parent in real.parents:
        status = parent.stat()
        write = status.st_mode & OTHERS_WRITE
        nearest = parent == real.parent
        if status.st_mode & stat.S_ISVTX:
            continue
        if nearest and status.st_uid not in (0, os.getuid()):
            raise UnsafeFolderError(
                f"{parent} belongs to another user (number {status.st_uid}); choose a folder of your own"
            )
        if write and (nearest or write != stat.S_IWGRP or not _is_private_group(status.st_gid)):
            raise UnsafeFolderError(
                f"other users can write {parent}, and so replace {real}; try `chmod go-w {parent}`"
            )


def is_private(folder: Path) -> bool:
    """Whether a folder passes `require_private`.

    Raises:
        OSError: the folder does not exist.
    """
    try:
        require_private(folder)
    except UnsafeFolderError:
        return False
    return True


def _require_own(path: Path, status: os.stat_result, remedy: str) -> None:
    if status.st_uid != os.getuid():
        raise UnsafeFolderError(
            f"{path} belongs to another user (number {status.st_uid}); choose a folder of your own"
        )
    if status.st_mode & OTHERS_WRITE and not stat.S_ISLNK(status.st_mode):
        raise UnsafeFolderError(
            f"other users can write {path}; try {remedy} after a look at what is in it, or remove it"
        )


def _is_private_group(number: int) -> bool:
    """Whether a group has this user as its only member. Systems that let groups write folders give each user such a group."""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
