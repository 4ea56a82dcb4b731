/**
 * A simple, slow decoder of server-sent events by the WHATWG rules: decode, split into lines, read the fields. Like the
 * client's decoder, it accepts a last event without its blank line.
 */
export function referenceEvents(stream: Uint8Array): string[] {
  const text = new TextDecoder().decode(stream)
  const events: string[] = []
  let data: string[] = []
  const dispatch = (): void => {
    if (data.length > 0) events.push(data.join('\n'))
    data = []
  }
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1)
    if (line === '') dispatch()
    else if (name === 'data') data.push(value.startsWith(' ') ? value.slice(1) : value)
  }
  dispatch()
  return events
}
