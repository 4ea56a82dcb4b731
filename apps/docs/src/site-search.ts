/** What the search uses of VitePress's renderer of Markdown. */
interface Renderer {
  readonly options: { highlight?: unknown }
  renderAsync(text: string, env: object): Promise<string>
}

/** How the search renders a page. The client and the server have one index. */
export function searchRenderer(): (text: string, env: { readonly path: string }, md: Renderer) => Promise<string> {
  const rendered = new Map<string, Promise<string>>()
  return (text, env, md) => {
    // An index has no use for colors of code, which take most of the time of a page.
    md.options.highlight = null
    const html = rendered.get(env.path) ?? md.renderAsync(text, env)
    rendered.set(env.path, html)
    return html
  }
}

/**
 * How much a section counts in the search: guides lead, then codes of errors. The pages that programs write from docstrings,
 * rules and changesets come last. It runs in the browser too, and so it uses nothing from outside.
 * @param id Address of the section.
 */
export function weightOf(id: string): number {
  if (/^\/(?:api|changelog)\b/.test(id)) return 0.1
  if (/^\/(?:internals|third-party|examples|interface)\b/.test(id)) return 0.3
  if (id.startsWith('/errors')) return 0.7
  return /^\/(?:start|guides|self-hosting|faq|concepts)\b/.test(id) ? 1.5 : 1
}
