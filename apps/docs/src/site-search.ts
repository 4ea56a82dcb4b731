import type { DefaultTheme } from 'vitepress'

/** Options of the search of the site. */
export function searchOptions(): DefaultTheme.LocalSearchOptions {
  const rendered = new Map<string, Promise<string>>()
  return {
    // The client and the server have one index. It has no use for colors of code, which take most of the time of a page.
    _render(text, env, md) {
      md.options.highlight = null
      const known = rendered.get(env.path)
      const html = known ?? md.renderAsync(text, env)
      if (known === undefined) rendered.set(env.path, html)
      return html
    },
    miniSearch: { searchOptions: { prefix: true, boostDocument: weightOf } },
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
