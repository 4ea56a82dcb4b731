/** A text as a TypeScript literal with single quotes. */
export function literal(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
}

/** Fields as the lines of a TypeScript object, two spaces deep. Fields without a value are left out. */
export function fieldLines(fields: Readonly<Record<string, string | number | boolean | undefined>>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${name}: ${typeof value === 'string' ? literal(value) : String(value)},`)
    .join('\n')
}

/** A command of curl that sends JSON. The quoted heredoc protects every character of the text from the shell. */
export function curlJson(path: string, body: object, output: string): string {
  return `curl --fail-with-body "$SVC_AUDIO_BASE_URL${path}" \\
  --header "Authorization: Bearer $SVC_AUDIO_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --output ${output} \\
  --data-binary @- <<'JSON'
${JSON.stringify(body, undefined, 2)}
JSON
`
}

/** A text as one word of the shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
