// The lanes of a trace as they lie on the page: whose, how far in the name stands, the lane's box, what is blocked in it.
element => {
  const box = piece => {
    const { left, right, top, bottom } = piece.getBoundingClientRect();
    return { left, right, top, bottom };
  };
  const isLane = name => name.nextElementSibling?.style.position === 'relative' && name.title !== 'user';
  const lanes = [...element.querySelectorAll('div[title]')].filter(isLane);
  return lanes.map(name => ({
    name: name.title,
    indent: name.firstElementChild.getBoundingClientRect().left,
    ...box(name.nextElementSibling),
    blocked: [...name.nextElementSibling.children].filter(bar => bar.title.startsWith('blocked')).map(box),
  }));
}
