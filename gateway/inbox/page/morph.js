/**
 * Makes the children of an element like those of another document, and keeps the elements that are the same: what a person has unfolded,
 * selected or scrolled stays so. Elements with an id are found by their id.
 * @param {Element} target
 * @param {Element} source
 */
export function morphChildren(target, source) {
  const byId = new Map([...target.children].filter(({ id }) => id !== '').map((child) => [child.id, child]));
  let current = target.firstChild;
  for (const next of source.childNodes) {
    const match = matchOf(next, current, byId);
    if (match === undefined) {
      target.insertBefore(document.importNode(next, true), current);
      continue;
    }
    if (match === current) current = current.nextSibling;
    else target.insertBefore(match, current);
    morph(match, next);
  }
  while (current !== null) {
    const rest = current.nextSibling;
    current.remove();
    current = rest;
  }
}

/**
 * @param {ChildNode} next
 * @param {ChildNode | null} current
 * @param {Map<string, Element>} byId
 * @returns {ChildNode | undefined}
 */
function matchOf(next, current, byId) {
  if (next instanceof Element && next.id !== '') return byId.get(next.id);
  const isSame = current?.nodeName === next.nodeName && !(current instanceof Element && current.id !== '');
  return isSame ? current : undefined;
}

/**
 * @param {ChildNode} target
 * @param {ChildNode} source
 */
function morph(target, source) {
  if (!(target instanceof Element) || !(source instanceof Element)) {
    if (target.nodeValue !== source.nodeValue) target.nodeValue = source.nodeValue;
    return;
  }
  for (const name of target.getAttributeNames()) {
    if (name !== 'open' && !source.hasAttribute(name)) target.removeAttribute(name);
  }
  for (const { name, value } of source.attributes) {
    if (target.getAttribute(name) !== value) target.setAttribute(name, value);
  }
  morphChildren(target, source);
}
