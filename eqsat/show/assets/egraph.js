"use strict";
// The e-graph of the page, read from its data, with facts derived from it: the nodes and users of each class, and the text that search reads.

const NOT_CHOSEN = -1;

function readEgraph(data) {
  const { nodes, classes, choice } = data;
  const classCount = classes.names.length;
  const nodesOf = Array.from({ length: classCount }, () => []);
  const usersOf = Array.from({ length: classCount }, () => []);
  nodes.class.forEach((owner, node) => {
    nodesOf[owner].push(node);
    for (const child of new Set(childrenOf(nodes, node))) usersOf[child].push(node);
  });
  const egraph = {
    data, nodes, classes, choice, nodesOf, usersOf,
    roots: new Set(classes.roots),
    price: new Map(data.prices.nodes.map(([node, cost, exact]) => [node, { cost, exact }])),
    runnerUp: new Map(data.prices.runners_up),
    left: new Map(), right: new Map(), // node -> numbers of the rules whose left or right side matches there
  };
  data.rules.forEach((rule, number) => rule.sites.forEach(([left, right]) => {
    note(egraph.left, left, number);
    if (right >= 0) note(egraph.right, right, number);
  }));
  egraph.text = nodesOf.map((row, owner) =>
    [classes.values[owner], ...row.map((node) => nodeText(egraph, node))].join(" ").toLowerCase());
  return egraph;
}

function note(sites, node, rule) {
  if (!sites.has(node)) sites.set(node, new Set());
  sites.get(node).add(rule);
}

function childrenOf(nodes, node) {
  return nodes.children.slice(nodes.start[node], nodes.start[node + 1]);
}

function opText(egraph, node) {
  const { ops, op, detail } = egraph.nodes;
  return detail[node] ? `${ops[op[node]]} ${detail[node]}` : ops[op[node]];
}

function nodeText(egraph, node) {
  return `${opText(egraph, node)} ${egraph.nodes.name[node] ?? ""}`;
}

function isChosen(egraph, owner) {
  return egraph.choice[owner] !== NOT_CHOSEN;
}

// How much more the program would cost with the runner-up; null if the class has none.
function runnerUpDifference(egraph, owner) {
  const node = egraph.runnerUp.get(owner);
  return node === undefined ? null : difference(egraph, node);
}

// How much more the program would cost with a node; 0 if the difference is only rounding.
function difference(egraph, node) {
  const { cost } = egraph.data.summary;
  const more = egraph.price.get(node).cost - cost;
  return Math.abs(more) <= 1e-9 * Math.max(1, Math.abs(cost)) ? 0 : more;
}

// The classes that satisfy all filters. Words must all occur in a class; #NAME is one class.
function matchingClasses(egraph, filters) {
  const words = filters.text.toLowerCase().split(/\s+/).filter(Boolean);
  const names = words.filter((word) => word.startsWith("#") && word.length > 1).map((word) => word.slice(1));
  const texts = words.filter((word) => !word.startsWith("#"));
  const found = new Set();
  egraph.nodesOf.forEach((row, owner) => {
    if (names.length && !names.includes(egraph.classes.names[owner].toLowerCase())) return;
    if (!texts.every((word) => egraph.text[owner].includes(word))) return;
    if (filters.op !== null && !row.some((node) => egraph.nodes.op[node] === filters.op)) return;
    if (filters.rule !== null && !row.some((node) => hasRule(egraph, node, filters.rule))) return;
    if (hasStatus(egraph, owner, filters.status)) found.add(owner);
  });
  return found;
}

function hasRule(egraph, node, rule) {
  return Boolean(egraph.left.get(node)?.has(rule) || egraph.right.get(node)?.has(rule));
}

function hasStatus(egraph, owner, status) {
  switch (status) {
    case "chosen": return isChosen(egraph, owner);
    case "left": return !isChosen(egraph, owner);
    case "contested": return isChosen(egraph, owner) && egraph.nodesOf[owner].length > 1;
    case "tie": return isChosen(egraph, owner) && runnerUpDifference(egraph, owner) === 0;
    default: return true;
  }
}

// The extracted program as an indented tree: each class appears once with its operands, and later only as a reference.
function programRows(egraph, collapsed) {
  const rows = [];
  const seen = new Set();
  const stack = egraph.classes.roots.map((owner) => [owner, 0]).reverse();
  while (stack.length) {
    const [owner, depth] = stack.pop();
    const children = childrenOf(egraph.nodes, egraph.choice[owner]);
    const isMention = seen.has(owner);
    seen.add(owner);
    const isOpen = !isMention && !collapsed.has(owner);
    rows.push({ owner, depth, isMention, isOpen, isLeaf: !children.length });
    if (isOpen) for (const child of children.reverse()) stack.push([child, depth + 1]);
  }
  return rows;
}

function classRows(egraph) {
  return egraph.nodesOf.map((_, owner) => ({ owner, depth: 0, isMention: false, isOpen: false, isLeaf: true }));
}

function numberText(value) {
  if (value === null || value === undefined) return "∞";
  if (Math.abs(value) >= 1e15) return value.toExponential(6);
  return value.toLocaleString("en-US", { maximumSignificantDigits: 7 });
}

// A time with three significant digits, in a suitable unit.
function secondsText(seconds) {
  const [unit, scale] = [["s", 1], ["ms", 1e3], ["µs", 1e6]].find(([, each]) => seconds * each >= 1) ?? ["ns", 1e9];
  return `${Number((seconds * scale).toPrecision(3))} ${unit}`;
}
