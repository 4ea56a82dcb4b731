/** Uses of a narration as a file. Vite would inline the Markdown itself as a `data:` address. */
const NEW_URL = /\bnew\s+URL\s*\(\s*(["'`])([^"'`\n]*?[?&]narrate[^"'`\n]*)\1\s*,\s*import\.meta\.url/
const ATTRIBUTE = /\s(?:src|href|data|poster)\s*=\s*(["']?)([^"'\s>]*)[?&]narrate(?=["'\s>&=])/i

/** Code that may hold such an address, for the hook's filter. */
export const MENTIONS_NARRATION: RegExp = /[?&]narrate/

/** Pages that a framework compiles. Their text may quote the call without making it. */
export const DOCUMENT: RegExp = /\.(?:md|mdx|mdoc|svx|markdown|html?|txt)(?:\?|$)/

/** What is wrong with code that asks for a narration by `new URL()`, and what to write; `undefined` when nothing is. */
export function lintCode(code: string): string | undefined {
  const [call, , address = ''] = NEW_URL.exec(code) ?? []
  if (call === undefined) return undefined
  return (
    `new URL('${address}', import.meta.url) gives the text, not its audio. ` +
    `Write: import post from '${address}' and use post.src`
  )
}

/** What is wrong with a page that has a narration in a `src`, and what to write; `undefined` when nothing is. */
export function lintHtml(html: string): string | undefined {
  const [attribute, quote = '', address = ''] = ATTRIBUTE.exec(html.replace(/<!--[\s\S]*?-->/g, '')) ?? []
  if (attribute === undefined) return undefined
  return `${attribute.trim()}${quote} gives the text, not its audio. Write: <audio data-narrate="${address}"></audio>`
}
