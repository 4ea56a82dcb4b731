/**
 * Calls `listener` when the colours of the page may have changed: another theme, or forced colours. CSS follows by
 * itself; a canvas does not.
 * @returns a function that ends it
 */
export function subscribeAppearance(listener: () => void): () => void {
  const theme = new MutationObserver(listener)
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query))
  for (const query of queries) query.addEventListener('change', listener)
  return () => {
    theme.disconnect()
    for (const query of queries) query.removeEventListener('change', listener)
  }
}
