// The behaviour of the page: filters choose rows, a row or a link selects a class, and the address remembers it.

(() => {
  const byId = (id) => document.getElementById(id);
  const egraph = readEgraph(JSON.parse(byId("data").textContent));
  const collapsed = new Set();
  let selected = egraph.classes.roots[0];

  const rows = new Rows(egraph, byId("rows"), byId("spacer"), {
    select: (owner) => { if (location.hash === address(egraph, owner)) select(owner); else location.hash = address(egraph, owner); },
    toggle: (owner) => { if (!collapsed.delete(owner)) collapsed.add(owner); refresh(); },
    enter: () => byId("details").focus(),
  });

  function select(owner) {
    selected = owner;
    rows.mark(owner);
    showDetails(egraph, owner, byId("details"));
  }

  function filters() {
    const chosen = (id) => byId(id).value === "" ? null : Number(byId(id).value);
    return { text: byId("search").value, op: chosen("op"), rule: chosen("rule"), status: byId("status").value };
  }

  function refresh() {
    const found = matchingClasses(egraph, filters());
    const all = byId("view").value === "program" ? programRows(egraph, collapsed) : classRows(egraph);
    const shown = found.size === egraph.nodesOf.length ? all : all.filter((row) => found.has(row.owner) && !row.isMention);
    rows.show(shown, selected);
    byId("count").value = `${found.size.toLocaleString("en-US")} of ${egraph.nodesOf.length.toLocaleString("en-US")} classes match, ${shown.length.toLocaleString("en-US")} rows`;
    showRule();
  }

  function showRule() {
    const place = byId("rule-text");
    place.hidden = byId("rule").value === "";
    if (place.hidden) return;
    const rule = egraph.data.rules[Number(byId("rule").value)];
    place.replaceChildren(
      rule.equation ? make("code", {}, rule.equation) : "a step in Python, not a rule with two sides", ` ${rule.claim} `,
      make("span", { className: "muted" },
        `It matched ${numberText(rule.matches)} times. Classes are shown where its left side matches a node of the finished e-graph and its guard holds; ` +
        "the node of its right side is marked where it is there as written. Sums and products that were collected or split in other ways are not recognized. The e-graph doesn't record which rule was first to add a node." +
        (rule.complete ? "" : " Not all places were looked at: there are too many.")));
  }

  function fillSummary() {
    const { summary } = egraph.data;
    const saturation = summary.saturation;
    const say = (term, ...text) => byId("summary").append(make("div", {}, make("dt", {}, term), make("dd", {}, ...text)));
    if (summary.seconds) say("kernels", `predicted ${secondsText(summary.seconds[0])}, at least ${secondsText(summary.seconds[1])}`);
    say("cost", `${numberText(summary.cost)}${summary.unit ? ` ${summary.unit}` : ""}`);
    say("lower bound", summary.lower_bound === null ? "none" : numberText(summary.lower_bound));
    say("gap", summary.optimal ? "none: proved optimal" : summary.gap === null ? "not known" : `${(100 * summary.gap).toFixed(2)} %`);
    say("as a tree", numberText(summary.tree_cost));
    say("nodes", numberText(summary.nodes));
    say("classes", `${numberText(summary.classes)}, ${numberText(summary.extracted)} extracted`);
    say("roots", String(summary.roots));
    if (saturation) say("saturation", `${saturation.iterations} iterations, until ${saturation.stop}`);
    if (saturation?.banned.length) say("rules left out", saturation.banned.join(", "));
  }

  function fillKernels() {
    const { kernels } = egraph.data;
    const all = kernels.reduce((sum, kernel) => sum + kernel.predicted_seconds, 0);
    byId("kernels").hidden = !kernels.length;
    byId("kernels").querySelector("summary").textContent =
      `Schedule: ${kernels.length} ${kernels.length === 1 ? "kernel" : "kernels"}, predicted ${secondsText(all)}`;
    byId("kernels").querySelector("div").replaceChildren(...kernels.flatMap((kernel) => [
      make("h2", {}, `${kernel.name}: ${secondsText(kernel.predicted_seconds)}`),
      make("pre", {}, kernel.loops),
      make("h3", {}, "memory"), make("pre", {}, kernel.memory.join("\n")),
      make("h3", {}, "predicted time by resource; loops and launch add to what else overlaps"),
      make("pre", {}, Object.entries(kernel.seconds).map(([name, seconds]) => `${name} ${secondsText(seconds)}`).join(", ")),
      ...(kernel.runners_up.length ? [make("h3", {}, "runners-up"), make("pre", {}, kernel.runners_up.map(
        (each) => `${secondsText(each.predicted_seconds)}: ${each.choice}`).join("\n"))] : []),
    ]));
  }

  function fillChoices() {
    egraph.nodes.ops.forEach((op, number) => byId("op").append(make("option", { value: number }, op)));
    egraph.data.rules.forEach((rule, number) =>
      byId("rule").append(make("option", { value: number }, `${rule.name} (${rule.sites.length})`)));
    byId("rule-label").hidden = !egraph.data.rules.length;
  }

  function fromAddress() {
    if (location.hash.length < 2) return select(egraph.classes.roots[0]);
    const owner = egraph.classes.names.findIndex((_, each) => address(egraph, each) === location.hash);
    return owner < 0 ? undefined : select(owner);
  }

  fillSummary();
  fillChoices();
  fillKernels();
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("input", refresh);
  byId("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === "ArrowDown") { byId("rows").focus(); event.preventDefault(); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT)$/.test(document.activeElement.tagName)) { byId("search").focus(); event.preventDefault(); }
  });
  window.addEventListener("hashchange", fromAddress);
  refresh();
  select(selected);
  if (location.hash) fromAddress();
})();
