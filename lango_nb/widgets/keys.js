// Keys and clicks of a trace viewer, where scripts run: without this file the viewer is the same, less these shortcuts.
// Nothing is drawn here. What was pressed goes to the kernel, which shows what comes of it.

const MOVES = { j: "next", k: "previous", ArrowLeft: "back", ArrowRight: "on", Escape: "all" };

function place(root, event) {
  const lanes = [...root.querySelectorAll(".lango-lanes div")].filter(
    (div) => div.style.position === "relative" && div.style.height === "24px",
  );
  const lane = lanes.findIndex((div) => div.contains(event.target));
  if (lane < 0) return null;
  const box = lanes[lane].getBoundingClientRect();
  return { lane, share: Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) };
}

export default {
  initialize({ model }) {
    const rootOf = (target) =>
      [...document.getElementsByClassName(model.get("mark"))]
        .map((mark) => mark.parentElement)
        .find((root) => root && root.contains(target));
    const focus = (root) => {
      root.tabIndex = -1;
      root.focus({ preventScroll: true });
    };
    const pressed = (event) => {
      const root = !event.ctrlKey && !event.metaKey && !event.altKey && rootOf(event.target);
      if (!root) return;
      const isTyped = event.target.matches("input, textarea, select:not([size])") && event.key !== "Escape";
      const isArrow = event.key.startsWith("Arrow") && event.target.closest(".noUi-handle, select");
      if (isTyped || isArrow || (event.key !== "/" && !MOVES[event.key])) return;
      event.preventDefault();
      event.stopPropagation(); // else j and k would go to another cell
      if (event.key === "/") {
        root.querySelector("input[type=text]").select();
        root.querySelector("input[type=text]").focus();
        return;
      }
      if (event.key === "Escape") focus(root);
      model.send({ do: MOVES[event.key] });
    };
    const clicked = (event) => {
      const root = rootOf(event.target);
      if (!root) return;
      const found = place(root, event);
      if (found) model.send({ do: "at", ...found });
      if (!event.target.closest("button, input, select, textarea, summary, a, .noUi-handle")) focus(root);
    };
    window.addEventListener("keydown", pressed, true);
    window.addEventListener("click", clicked);
    return () => {
      window.removeEventListener("keydown", pressed, true);
      window.removeEventListener("click", clicked);
    };
  },
};
