import type { Snippet } from './snippet.ts'

/** A script of the shell. @param args Arguments of the command that runs it. */
export function curlSnippet(file: string, code: string, args = ''): Snippet {
  return { kind: 'curl', title: 'curl', file, run: `sh ${file}${args === '' ? '' : ` ${args}`}`, code }
}

/** A command of curl. It fails if the service refuses. @param parts Its options, one on each line. */
export function curlCommand(path: string, parts: readonly string[] = []): string {
  const head = [
    `curl --fail-with-body "$SVC_AUDIO_BASE_URL${path}"`,
    '--header "Authorization: Bearer $SVC_AUDIO_API_KEY"',
  ]
  return [...head, ...parts].join(' \\\n  ')
}

/** A command of curl that sends JSON. The quoted heredoc protects every character of the text from the shell. */
export function curlJson(path: string, body: object, parts: readonly string[] = []): string {
  const command = curlCommand(path, [
    "--header 'Content-Type: application/json'",
    ...parts,
    "--data-binary @- <<'JSON'",
  ])
  return `${command}\n${JSON.stringify(body, undefined, 2)}\nJSON\n`
}
