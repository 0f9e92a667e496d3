"""The pictures that the demo works on, cut up."""

import numpy as np

from eqsat.demo.show import image_patches


def test_patches_are_the_picture_cut_up():
    pixels = np.random.default_rng(0).integers(0, 256, (20, 36, 3)).astype(np.uint8)
    patches = image_patches(pixels, side=8)
    centre = pixels[2:18, 2:34].astype(np.float32)
    normal = (centre - centre.mean()) / centre.std()
    assert patches.shape == (8, 192)
    assert np.allclose(patches[5], normal[8:16, 8:16].ravel(), atol=1e-5)
