"""The page in a headless Chromium: what a reader clicks and types."""

import re
import shutil

import pytest

import eqsat as eq
from eqsat.show import find_prices, write_page
from tests.show.subjects import graph_subject, large_subject

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed; on Debian, `apt-get install chromium`"
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SECOND = 1000.0  # milliseconds in which the page has to react; it takes about ten


@pytest.fixture(scope="module")
def browser():
    """A Chromium with an empty profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Opens the page of a subject; after the test, nothing must have been reported as an error, nor asked of a network."""
    errors, requests = [], []
    context = browser.new_context(viewport={"width": 1200, "height": 800})

    def open_page(subject):
        path = write_page(subject, tmp_path / "page.html")
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    context.close()
    assert errors == []
    assert [url for url in requests if not url.startswith("file:")] == []


def rows(page):
    """The texts of the rows that are drawn."""
    return page.locator("#rows [role=option]").all_inner_texts()


def test_the_schedule_of_a_program_is_shown_when_it_is_opened(visit):
    graph = eq.trace(lambda x: eq.sum(eq.exp(x), axis=0), eq.spec((64, 48), eq.float32))
    subject = eq.optimize(graph).subject("a program")
    page = visit(subject)
    kernels = subject.kernels()
    assert page.locator("#kernels summary").inner_text().startswith(f"Schedule: {len(kernels)} kernel")
    assert not page.locator("#kernels pre").first.is_visible()
    page.locator("#kernels summary").click()
    shown = page.locator("#kernels > div").inner_text()
    for kernel in kernels:
        assert kernel["loops"] in shown
        assert all(line in shown for line in kernel["memory"])
        assert all(other["choice"] in shown for other in kernel["runners_up"])
        assert re.search(r"launch [\d.]+", shown)
    assert not visit(graph_subject()).locator("#kernels").is_visible()


def test_the_extracted_program_is_a_tree_that_closes_and_opens(visit):
    page = visit(graph_subject())
    all_rows = rows(page)
    assert "SINK" in all_rows[0]
    page.locator("#rows").focus()
    page.keyboard.press("ArrowLeft")
    assert len(rows(page)) == 1
    page.keyboard.press("ArrowRight")
    assert rows(page) == all_rows


def test_search_filters_rows_and_the_slash_key_goes_there(visit):
    page = visit(graph_subject())
    page.select_option("#view", "classes")
    before = len(rows(page))
    page.locator("#rows").focus()
    page.keyboard.press("/")
    page.keyboard.type("define_var")
    assert len(rows(page)) == 2 < before
    assert all("DEFINE_VAR" in row for row in rows(page))
    page.keyboard.type(" 0..63")
    (row,) = rows(page)
    assert "('x', 0, 63)" in row
    assert page.locator("#count").inner_text().startswith("1 of ")


def test_a_click_shows_the_nodes_of_a_class_with_the_chosen_one_first(visit):
    subject = graph_subject()
    problem, choice = subject.extraction.problem, subject.extraction.choice.tolist()
    owner = int(problem.node_class[next(iter(find_prices(subject.extraction)))])
    page = visit(subject)
    page.select_option("#status", "contested")
    page.locator("#rows [role=option]", has_text=f"#{owner}").first.click()
    shown = page.locator("table.nodes tbody tr")
    assert shown.count() == len(problem.nodes_by_class[owner])
    chosen = page.locator("table.nodes tr.chosen")
    assert chosen.count() == 1
    assert chosen.get_attribute("data-node") == str(choice[owner]) == shown.first.get_attribute("data-node")
    assert chosen.evaluate("row => getComputedStyle(row).backgroundColor") != shown.last.evaluate(
        "row => getComputedStyle(row).backgroundColor"
    )
    assert "runner-up" in page.locator("#details").inner_text()
    assert page.url.endswith(f"#{owner}")


def test_links_lead_to_operands_and_back(visit):
    page = visit(graph_subject())
    heading = page.locator("#heading")
    first = heading.inner_text()
    link = page.locator("table.nodes a").first
    name = link.inner_text()
    link.click()
    page.wait_for_url(f"**{name}")
    assert heading.inner_text().startswith(f"Class {name}")
    page.go_back()
    page.locator("#heading", has_text=first).wait_for()


def test_a_rule_shows_its_equation_and_the_classes_where_its_sides_are(visit):
    page = visit(graph_subject())
    page.select_option("#view", "classes")
    option = page.locator("#rule option", has_text="divide_twice")
    page.select_option("#rule", option.get_attribute("value"))
    assert "x // c // d" in page.locator("#rule-text").inner_text().replace("(", "").replace(")", "")
    assert 1 <= len(rows(page)) < graph_subject().extraction.problem.class_count
    page.locator("#rows [role=option]").first.click()
    assert "divide_twice" in page.locator("table.nodes").inner_text()


def test_text_contrasts_with_what_is_behind_it_in_both_schemes(visit):
    page = visit(graph_subject())
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours = page.evaluate(
            """() => Object.fromEntries(["text", "muted", "link", "worse", "page", "panel", "chosen", "chosen-line", "selected"]
                .map((name) => [name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()]))"""
        )
        for front in ("text", "muted", "link", "worse"):
            for back in ("page", "panel", "selected", "chosen"):
                assert contrast(colours[front], colours[back]) >= 4.5, (scheme, front, back)
        assert contrast(colours["chosen-line"], colours["chosen"]) >= 4.5


def contrast(front, back):
    """The contrast of two colours as WCAG 2 defines it; 4.5 is what it asks of text."""

    def luminance(colour):
        channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [
            value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(front), luminance(back)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_5000_nodes_react_to_typing_within_a_second_and_hostile_text_stays_text(visit):
    page = visit(large_subject())
    page.select_option("#view", "classes")
    assert len(rows(page)) < 100  # those in sight
    milliseconds = page.evaluate(
        """async () => {
            const search = document.getElementById("search");
            const times = [];
            for (const text of ["m", "mu", "mul", "mul s", "", "#17"]) {
                const start = performance.now();
                search.value = text;
                search.dispatchEvent(new Event("input", { bubbles: true }));
                await new Promise(requestAnimationFrame);
                times.push(performance.now() - start);
            }
            return times;
        }"""
    )
    assert max(milliseconds) < SECOND
    assert page.locator("#count").inner_text().startswith("1 of 2,500 classes")
    page.locator("#search").fill("onerror")
    page.locator("#rows [role=option]").first.click()
    assert "<img src=x" in page.locator("table.nodes").inner_text()
    assert page.locator("img").count() == 0
    assert page.title() != "broken"


def test_the_list_moves_with_the_keyboard_and_draws_what_is_in_sight(visit):
    page = visit(large_subject())
    page.select_option("#view", "classes")
    page.locator("#rows").focus()
    page.keyboard.press("End")
    assert page.locator("#heading").inner_text().startswith("Class #2499")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.locator("#heading", has_text="Class #1").wait_for()
    assert page.locator("#rows [aria-selected=true]").count() == 1
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "details"
