// A list of rows of equal height. Only rows in sight are elements of the page, so it is as quick with 100,000 rows as with ten.

const ROW_HEIGHT = 26; // pixels, as in the style
const BEYOND = 8; // rows that are drawn above and below the rows in sight
const DEEPEST = 12; // steps of indentation

class Rows {
  constructor(egraph, list, spacer, { select, toggle, enter }) {
    Object.assign(this, { egraph, list, spacer, select, toggle, enter });
    this.rows = [];
    this.current = -1;
    list.addEventListener("scroll", () => this.draw());
    list.addEventListener("keydown", (event) => this.onKey(event));
    list.addEventListener("click", (event) => this.onClick(event));
    new ResizeObserver(() => this.draw()).observe(list);
  }

  show(rows, selected) {
    this.rows = rows;
    this.spacer.style.height = `${rows.length * ROW_HEIGHT}px`;
    this.mark(selected);
  }

  // Marks the row of a class, and brings it into sight.
  mark(selected) {
    if (this.rows[this.current]?.owner !== selected) {
      this.current = this.rows.findIndex((row) => row.owner === selected);
    }
    this.reveal();
    this.draw();
  }

  reveal() {
    if (this.current < 0) return;
    const top = this.current * ROW_HEIGHT;
    const { scrollTop, clientHeight } = this.list;
    if (top < scrollTop) this.list.scrollTop = top;
    else if (top + ROW_HEIGHT > scrollTop + clientHeight) this.list.scrollTop = top + ROW_HEIGHT - clientHeight;
  }

  draw() {
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW_HEIGHT) - BEYOND);
    const last = Math.min(this.rows.length, Math.ceil((this.list.scrollTop + this.list.clientHeight) / ROW_HEIGHT) + BEYOND);
    const drawn = [];
    for (let position = first; position < last; position++) drawn.push(this.element(position));
    this.spacer.replaceChildren(...drawn);
    if (this.current >= first && this.current < last) this.list.setAttribute("aria-activedescendant", `row${this.current}`);
    else this.list.removeAttribute("aria-activedescendant");
  }

  element(position) {
    const { egraph } = this;
    const { owner, depth, isMention, isOpen, isLeaf } = this.rows[position];
    const node = isChosen(egraph, owner) ? egraph.choice[owner] : egraph.nodesOf[owner][0];
    const row = make("div", { className: isChosen(egraph, owner) ? "row" : "row left", id: `row${position}` });
    const sign = isLeaf || isMention ? "" : isOpen ? "▾" : "▸";
    const indent = "  ".repeat(Math.min(depth, DEEPEST)) + (depth > DEEPEST ? `(${depth}) ` : "");
    row.append(
      make("span", { className: "what" }, indent, make("span", { className: "toggle" }, sign), node === undefined ? "no node" : opText(egraph, node)),
    );
    if (isMention) row.append(make("span", { className: "mark" }, "shown above"));
    else if (!isLeaf && !isOpen) row.append(make("span", { className: "mark" }, "closed"));
    if (egraph.nodesOf[owner].length > 1) row.append(make("span", { className: "mark" }, `${egraph.nodesOf[owner].length} nodes`));
    row.append(
      make("span", { className: "value" }, egraph.classes.values[owner]),
      make("span", { className: "cost" }, isMention || node === undefined ? "" : numberText(egraph.nodes.cost[node])),
      make("span", { className: "muted" }, `#${egraph.classes.names[owner]}`),
    );
    row.style.top = `${position * ROW_HEIGHT}px`;
    row.dataset.position = position;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(position === this.current));
    row.setAttribute("aria-posinset", position + 1);
    row.setAttribute("aria-setsize", this.rows.length);
    return row;
  }

  onClick(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    this.current = Number(row.dataset.position);
    if (event.target.classList.contains("toggle")) this.toggleCurrent();
    this.select(this.rows[this.current].owner);
  }

  onKey(event) {
    if (!this.rows.length) return;
    const page = Math.max(1, Math.floor(this.list.clientHeight / ROW_HEIGHT) - 1);
    const moves = {
      ArrowDown: this.current + 1, ArrowUp: this.current - 1, PageDown: this.current + page, PageUp: this.current - page,
      Home: 0, End: this.rows.length - 1,
    };
    if (event.key in moves) {
      this.current = Math.min(this.rows.length - 1, Math.max(0, moves[event.key]));
      this.select(this.rows[this.current].owner);
    } else if (event.key === "Enter") {
      this.enter();
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const row = this.rows[this.current];
      if (row && !row.isLeaf && !row.isMention && row.isOpen === (event.key === "ArrowLeft")) this.toggleCurrent();
    } else return;
    event.preventDefault();
  }

  toggleCurrent() {
    const row = this.rows[this.current];
    if (!row.isLeaf && !row.isMention) this.toggle(row.owner);
  }
}

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
