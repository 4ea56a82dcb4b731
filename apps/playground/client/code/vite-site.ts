import { fieldLines } from './literal.ts'
import type { Snippet } from './snippet.ts'

/** A site of one page. */
export interface SiteCode {
  /** Options of the plugin. */
  readonly options: object
  /** Lines of the body of the page. */
  readonly body: string
  /** Other files of the site. */
  readonly files?: Readonly<Record<string, string>>
}

/** A script that writes a site with narration and builds it. */
export function viteSnippet({ options, body, files = {} }: SiteCode): Snippet {
  const all = {
    'vite.config.mjs': `import { narration } from '@svc-audio/vite-plugin'

export default {
  plugins: [
    narration({
${fieldLines(options, 3)}
    }),
  ],
}`,
    'index.html': `<!doctype html>
<html lang="en">
  <title>Narrated</title>
${body}
</html>`,
    ...files,
  }
  return {
    kind: 'vite',
    title: 'Vite',
    file: 'narrate.sh',
    install: 'npm install --save-dev vite @svc-audio/vite-plugin',
    run: 'sh narrate.sh && npx vite preview',
    code: `${Object.entries(all)
      .map(([name, content]) => hereDocument(name, content))
      .join('')}npx vite build\n`,
  }
}

/** Writes a file. The end mark is a line that the content does not have. */
function hereDocument(name: string, content: string): string {
  const lines = new Set(content.split('\n'))
  let mark = 'END'
  while (lines.has(mark)) mark += '_'
  return `cat > ${name} <<'${mark}'\n${content}\n${mark}\n`
}

/** A text in HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
