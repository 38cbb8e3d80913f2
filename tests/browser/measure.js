// Measures every output on the page: what leaves it, what overlaps, what cannot be read on its background.
() => {
  const remembered = compute => {
    const known = new Map();
    return element => {
      if (!known.has(element)) known.set(element, compute(element));
      return known.get(element);
    };
  };
  const parse = text => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const over = (top, share, under) => ({
    r: top.r * share + under.r * (1 - share),
    g: top.g * share + under.g * (1 - share),
    b: top.b * share + under.b * (1 - share),
  });
  const channel = value => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = c => 0.2126 * channel(c.r) + 0.7152 * channel(c.g) + 0.0722 * channel(c.b);
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (high + 0.05) / (low + 0.05);
  };
  const style = remembered(element => getComputedStyle(element));
  const opacity = remembered(e => +style(e).opacity * (e.parentElement ? opacity(e.parentElement) : 1));
  const ground = remembered(e => {
    const under = e.parentElement ? ground(e.parentElement) : { r: 255, g: 255, b: 255 };
    const own = parse(style(e).backgroundColor);
    return over(own, own.a * opacity(e), under);
  });
  const clip = (rect, element, root) => {
    let { left, right, top, bottom } = rect;
    for (let e = element; e && e !== root; e = e.parentElement) {
      if (style(e).overflowX === 'visible' || style(e).display === 'inline') continue;
      const frame = e.getBoundingClientRect();
      left = Math.max(left, frame.left);
      right = Math.min(right, frame.right);
      top = Math.max(top, frame.top);
      bottom = Math.min(bottom, frame.bottom);
    }
    return { left, right, top, bottom };
  };

  const measure = root => {
    const problems = [];
    const found = [];
    const frame = root.getBoundingClientRect();
    if (root.scrollWidth > root.clientWidth + 1) {
      problems.push(`scrolls sideways: ${root.scrollWidth} in ${root.clientWidth}`);
    }
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const said = node.textContent.trim().slice(0, 60);
      const element = node.parentElement;
      if (!said || !element.checkVisibility()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      let visible = false;
      for (const part of range.getClientRects()) {
        const rect = clip(part, element, root);
        if (rect.right - rect.left < 1 || rect.bottom - rect.top < 1) continue;
        visible = true;
        if (rect.right > frame.right + 1 || rect.left < frame.left - 1) problems.push(`leaves the page: ${said}`);
        found.push({ ...rect, node, said });
      }
      if (!visible) continue;
      const under = ground(element);
      const ink = parse(style(element).color);
      if (element.closest('.lm-TabBar')) continue; // the colours of tabs are JupyterLab's
      const ratio = contrast(over(ink, ink.a * opacity(element), under), under);
      if (ratio < 4.5) problems.push(`contrast ${ratio.toFixed(2)}: ${said}`);
    }
    for (const image of root.querySelectorAll('img')) {
      const { left, right, top, bottom } = image.getBoundingClientRect();
      if (!image.complete || !image.naturalWidth) problems.push('a picture is broken');
      if (right > frame.right + 1) problems.push('a picture leaves the page');
      found.push({ left, right, top, bottom, node: image, said: 'a picture' });
    }
    found.sort((a, b) => a.top - b.top);
    found.forEach((a, place) => {
      for (let next = place + 1; next < found.length && found[next].top < a.bottom - 4; next++) {
        const b = found[next];
        if (a.node === b.node) continue;
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 1 && down > 4) problems.push(`overlap: ${a.said} / ${b.said}`);
      }
    });
    return { texts: found.length, problems };
  };
  return [...document.querySelectorAll('.jp-OutputArea-output')].map(measure);
}
