/**
 * Finds the element that a player reads: in the player's own tree, then in the trees around its shadow roots.
 * @param value The `for` of the player: an id, or a selector.
 */
export function findTarget(player: Element, value: string): Element | null {
  if (value === '') return null
  for (let at = player; ;) {
    const root = rootOf(at)
    const found = root.getElementById(value) ?? query(root, value)
    if (found !== null || !(root instanceof ShadowRoot)) return found
    at = root.host
  }
}

/** The shadow root that contains a node, else its document. */
export function rootOf(node: Element): Document | ShadowRoot {
  const root = node.getRootNode()
  return root instanceof ShadowRoot ? root : node.ownerDocument
}

function query(root: ParentNode, selector: string): Element | null {
  try {
    return root.querySelector(selector)
  } catch {
    return null // an id that is no selector, e.g. `2024-post`
  }
}
