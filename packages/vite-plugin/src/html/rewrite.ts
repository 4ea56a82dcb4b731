import type { Mark } from './find-marks.ts'

/** Addresses of a narration, and the label of its player. */
export interface MarkAddresses {
  readonly src: string
  readonly captions: string
  readonly title: string | undefined
}

/** The module that defines `<narration-player>`. */
const PLAYER = '@svc-audio/vite-plugin/player'

/**
 * Inserts narrations into a page: addresses into an `<audio>`, a player before any other element.
 * @param attribute Attribute for the addresses. A build hides them from Vite until they are known.
 */
export function rewritePage(
  html: string,
  marks: readonly (readonly [Mark, MarkAddresses])[],
  attribute: 'src' | 'data-narration-src',
): string {
  let rewritten = ''
  let from = 0
  let needsPlayer = false
  for (const [index, [mark, addresses]] of marks.entries()) {
    const isSilent = addresses.src === ''
    const [before, own, inside] = isSilent
      ? ['', '', '']
      : mark.tag === 'audio'
        ? withAddresses(mark, addresses, attribute)
        : player(mark, addresses, attribute, index)
    needsPlayer ||= before !== ''
    rewritten += html.slice(from, mark.start) + before
    // Remove the white space before the attribute too.
    rewritten += html.slice(mark.start, mark.attribute.start).trimEnd() + own
    rewritten += html.slice(mark.attribute.end, mark.contentStart) + inside
    from = mark.contentStart
  }
  rewritten += html.slice(from)
  return needsPlayer ? withScript(rewritten, `<script type="module">import '${PLAYER}'</script>`) : rewritten
}

function withAddresses(
  mark: Mark,
  { src, captions }: MarkAddresses,
  attribute: string,
): readonly [string, string, string] {
  const preload = mark.attributes.has('preload') ? '' : ' preload="none"'
  const track =
    mark.hasTrack || captions === '' ? '' : `<track kind="captions" ${attribute}="${escape(captions)}" default>`
  return ['', ` ${attribute}="${escape(src)}"${preload}`, track]
}

function player(
  mark: Mark,
  { src, captions, title }: MarkAddresses,
  attribute: string,
  index: number,
): readonly [string, string, string] {
  const given = mark.attributes.get('id')
  const id = given ?? `narrated-${index + 1}`
  const label = title === undefined ? '' : ` label="${escape(title)}"`
  const track = captions === '' ? '' : `<track kind="captions" ${attribute}="${escape(captions)}">`
  const audio = `<audio controls preload="none" ${attribute}="${escape(src)}">${track}</audio>`
  // A browser without scripts shows the inner `<audio>`.
  const before = `<narration-player for="${escape(id)}"${label}>${audio}</narration-player>`
  return [before, given === undefined ? ` id="${id}"` : '', '']
}

function withScript(html: string, script: string): string {
  const at = html.search(/<\/head\s*>/i)
  return at === -1 ? script + html : html.slice(0, at) + script + html.slice(at)
}

/** Escapes text for an attribute in double quotes. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
