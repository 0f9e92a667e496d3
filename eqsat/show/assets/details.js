// The selected class: its nodes, why the chosen one was chosen, and its neighbours.

const MOST_USERS = 100; // users that are listed
const MOST_DRAWN = 6; // users, and children, in the drawing

function showDetails(egraph, owner, place) {
  const { names, values } = egraph.classes;
  place.replaceChildren(
    make("h2", { id: "heading" }, `Class #${names[owner]}`, egraph.roots.has(owner) ? " (root)" : "", values[owner] ? ` : ${values[owner]}` : ""),
    ...whyThisOne(egraph, owner),
    make("h3", {}, "Nodes"), nodeTable(egraph, owner),
    make("h3", {}, "Neighbourhood"), neighbourhood(egraph, owner),
    make("h3", {}, "Used by"), userList(egraph, owner),
  );
  place.scrollTop = 0;
}

function whyThisOne(egraph, owner) {
  const parts = [make("h3", {}, "Why this one?")];
  const say = (...text) => parts.push(make("p", { className: "why" }, ...text));
  if (!isChosen(egraph, owner)) {
    say("The extracted program doesn't need this class.");
    return parts;
  }
  const chosen = egraph.choice[owner];
  const others = egraph.nodesOf[owner].length - 1;
  const second = egraph.runnerUp.get(owner);
  const name = make("code", {}, opText(egraph, chosen));
  if (!others) say(name, " is the only node of this class.");
  else if (second === undefined) say(name, " was chosen; no other node has a price, for the reasons in the table.");
  else {
    const more = difference(egraph, second);
    const { cost, exact } = egraph.price.get(second);
    say(name, ` was chosen. The runner-up is `, make("code", {}, opText(egraph, second)), `: with it the program would cost ${exact ? "" : "at most "}`,
      make("strong", {}, numberText(cost)), more > 0 ? `, ${numberText(more)} more.` : more < 0 ? `, ${numberText(-more)} less: the extraction isn't optimal.` : ", as much.");
    say(make("span", { className: "muted" }, exact
      ? "This price is exact: no program with that node costs less."
      : "This price is an upper bound: a program was found that has that node and costs as much; there may be a cheaper one."));
  }
  return parts;
}

function nodeTable(egraph, owner) {
  const hasRules = egraph.data.rules.length > 0;
  const titles = ["", "operation", "operands", "cost", "price", ...(hasRules ? ["rules"] : [])];
  const rows = [...egraph.nodesOf[owner]].sort((a, b) => rank(egraph, owner, a) - rank(egraph, owner, b) || a - b);
  return make("table", { className: "nodes" },
    make("thead", {}, make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, ...rows.map((node) => nodeRow(egraph, owner, node, hasRules))));
}

// The chosen node first, then by price; nodes without a price last.
function rank(egraph, owner, node) {
  if (node === egraph.choice[owner]) return -Infinity;
  return egraph.price.get(node)?.cost ?? Number.MAX_VALUE;
}

function nodeRow(egraph, owner, node, hasRules) {
  const chosen = node === egraph.choice[owner];
  const row = make("tr", { className: chosen ? "chosen" : "" },
    make("td", {}, chosen ? "✓ chosen" : node === egraph.runnerUp.get(owner) ? "runner-up" : ""),
    make("td", { className: "node", title: egraph.nodes.name[node] ?? "" }, opText(egraph, node)),
    make("td", {}, ...childrenOf(egraph.nodes, node).flatMap((child) => [classLink(egraph, child), " "])),
    make("td", { className: "number" }, numberText(egraph.nodes.cost[node])),
    priceCell(egraph, owner, node));
  if (hasRules) row.append(make("td", {}, ...ruleNames(egraph, node)));
  row.dataset.node = node;
  return row;
}

function priceCell(egraph, owner, node) {
  const cell = (text, ...more) => make("td", { className: "number" }, text, ...more);
  const refusal = (text, reason) => cell(text, make("div", { className: "reason" }, reason));
  if (!isChosen(egraph, owner)) return cell("");
  if (node === egraph.choice[owner]) return cell("–");
  if (egraph.nodes.cost[node] === null) return refusal("cannot be", "its cost forbids it");
  if (!egraph.nodes.usable[node]) return refusal("cannot be", "needs itself, or a class without a finite acyclic term");
  const price = egraph.price.get(node);
  if (!price) return refusal("not known", "closes a cycle with the other choices; no other program was looked for");
  if (price.cost === null) return refusal("cannot be", "every program with it needs itself or a forbidden node");
  const more = difference(egraph, node);
  const sign = more > 0 ? "+" : more < 0 ? "−" : "±";
  const text = `${sign}${numberText(Math.abs(more))}`;
  return cell(make("span", { className: more > 0 ? "worse" : "" }, price.exact ? text : `≤ ${text}`));
}

function ruleNames(egraph, node) {
  const say = (sites, side) => [...(sites.get(node) ?? [])].map((rule) =>
    make("div", {}, `${side} of `, make("code", {}, egraph.data.rules[rule].name)));
  return [...say(egraph.right, "right side"), ...say(egraph.left, "left side")];
}

function userList(egraph, owner) {
  const users = egraph.usersOf[owner];
  if (!users.length) return make("p", { className: "muted" }, egraph.roots.has(owner) ? "Nothing; it is a root." : "Nothing.");
  const isUse = (node) => egraph.choice[egraph.nodes.class[node]] === node;
  const sorted = [...users].sort((a, b) => isUse(b) - isUse(a) || a - b);
  const list = make("ul", {}, ...sorted.slice(0, MOST_USERS).map((node) =>
    make("li", {}, classLink(egraph, egraph.nodes.class[node]), " ", make("span", { className: "node" }, opText(egraph, node)), isUse(node) ? " (chosen)" : "")));
  if (users.length > MOST_USERS) list.append(make("li", { className: "muted" }, `and ${users.length - MOST_USERS} more`));
  return list;
}

function classLink(egraph, owner) {
  return make("a", { href: address(egraph, owner) }, `#${egraph.classes.names[owner]}`);
}

function address(egraph, owner) {
  return `#${encodeURIComponent(egraph.classes.names[owner])}`;
}

// Draws the users of the class in the program above it, and the operands of its (chosen) node below it.
function neighbourhood(egraph, owner) {
  const node = isChosen(egraph, owner) ? egraph.choice[owner] : egraph.nodesOf[owner][0];
  const users = [...new Set(egraph.usersOf[owner].filter((user) => egraph.choice[egraph.nodes.class[user]] === user).map((user) => egraph.nodes.class[user]))];
  const children = node === undefined ? [] : [...new Set(childrenOf(egraph.nodes, node))];
  const drawn = [users.slice(0, MOST_DRAWN), [owner], children.slice(0, MOST_DRAWN)];
  const top = users.length ? 0 : 1, bottom = children.length ? 2 : 1; // levels that are not empty
  const width = 130, height = 28, gap = 12, step = 64;
  const total = Math.max(...drawn.map((row) => row.length)) * (width + gap);
  const svg = makeSvg("svg", { viewBox: `0 ${top * step} ${total} ${(bottom - top) * step + height + 2}`, width: total, role: "group" });
  svg.setAttribute("aria-label", `${users.length} users above, ${children.length} operands below`);
  const left = (row, position) => (total - row.length * (width + gap)) / 2 + position * (width + gap) + gap / 2;
  drawn.forEach((row, level) => row.forEach((each, position) => {
    const x = left(row, position), y = level * step + 1;
    if (level !== 1) {
      const [from, to] = level === 0 ? [y + height, step + 1] : [step + height + 1, y];
      const [a, b] = level === 0 ? [x + width / 2, total / 2] : [total / 2, x + width / 2];
      svg.append(makeSvg("path", { d: `M${a} ${from}L${b} ${to}` }));
    }
    svg.append(box(egraph, each, x, y, width, height, level === 1));
  }));
  const hidden = users.length + children.length - drawn[0].length - drawn[2].length;
  return make("div", {}, svg, hidden ? make("p", { className: "muted" }, `${hidden} more are not drawn.`) : "");
}

function box(egraph, owner, x, y, width, height, isCenter) {
  const node = isChosen(egraph, owner) ? egraph.choice[owner] : egraph.nodesOf[owner][0];
  const label = `#${egraph.classes.names[owner]} ${node === undefined ? "" : egraph.nodes.ops[egraph.nodes.op[node]]}`;
  const link = makeSvg("a", { href: address(egraph, owner), class: `${isCenter ? "center" : ""} ${isChosen(egraph, owner) ? "chosen" : ""}` });
  const title = makeSvg("title", {});
  title.textContent = label;
  const text = makeSvg("text", { x: x + 6, y: y + 18 });
  text.textContent = label.length > 16 ? `${label.slice(0, 15)}…` : label;
  link.append(title, makeSvg("rect", { x, y, width, height, rx: 5 }), text);
  return link;
}

function makeSvg(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
