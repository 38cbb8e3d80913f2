// Puts a drawing on an empty page and tells which texts leave their boxes or overlap.
svg => {
  document.body.innerHTML = svg;
  const boxes = [...document.querySelectorAll('rect')].map(rect => rect.getBBox());
  const texts = [...document.querySelectorAll('text')].map(text => ({ said: text.textContent, at: text.getBBox() }));
  const inside = (text, box) =>
    text.x >= box.x &&
    text.y >= box.y - 1 &&
    text.x + text.width <= box.x + box.width &&
    text.y + text.height <= box.y + box.height + 1;
  const problems = texts
    .filter(text => text.said.trim() && boxes.filter(box => inside(text.at, box)).length !== 1)
    .map(text => `not inside its box: ${text.said}`);
  texts.forEach((a, place) =>
    texts.slice(place + 1).forEach(b => {
      const across = Math.min(a.at.x + a.at.width, b.at.x + b.at.width) - Math.max(a.at.x, b.at.x);
      const down = Math.min(a.at.y + a.at.height, b.at.y + b.at.height) - Math.max(a.at.y, b.at.y);
      if (across > 1 && down > 4) problems.push(`overlap: ${a.said} / ${b.said}`);
    }),
  );
  return { texts: texts.length, problems };
}
