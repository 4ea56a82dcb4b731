import { InvalidRequestError } from '../errors/request-errors.ts'
import { ProtocolError } from '../errors/service-errors.ts'
import { FILES_OFFSET_MAX } from '../wire/limits.ts'
import type { FileList, FileListQuery } from '../wire/files.ts'
import type { VoiceList, VoiceListQuery } from '../wire/voices.ts'

/**
 * Gives the query of each next page of voices: by cursor, else by offset (interface: Voice list).
 * @throws ProtocolError if the pages repeat
 */
export function voicePages(first: VoiceListQuery): (page: VoiceList) => VoiceListQuery | undefined {
  const repeats = refuseRepetition()
  let offset = first.offset ?? 0
  return ({ data, has_more: more, next_cursor: cursor }) => {
    if (!more) return undefined
    repeats(data)
    const { after: _, offset: __, ...rest } = first
    if (cursor === undefined || cursor === '') return { ...rest, offset: (offset += data.length) }
    return { ...rest, after: cursor }
  }
}

/**
 * Gives the query of each next page of files, until a page is empty or says `has_more: false`. The interface has only
 * `limit` and `offset` and no order: a short page need not be the last, because a service may return fewer files than
 * requested, and files that are uploaded or deleted during the iteration move the others.
 * @throws ProtocolError if a page has no list, or only files that came before: the service ignores the offset, repeats
 * its last page, or goes in circles
 * @throws InvalidRequestError past the largest offset (interface: Limits)
 */
export function filePages(first: FileListQuery): (page: FileList & More) => FileListQuery | undefined {
  const repeats = refuseRepetition()
  let offset = first.offset ?? 0
  return ({ data, has_more: more }) => {
    if (data.length === 0 || more === false) return undefined
    repeats(data)
    offset += data.length
    if (offset <= FILES_OFFSET_MAX) return { ...first, offset }
    throw new InvalidRequestError('invalid_range', 'offset', `a list ends at ${FILES_OFFSET_MAX}: narrow it by purpose`)
  }
}

/** A field that a service may add to a page. */
interface More {
  readonly has_more?: unknown
}

/** A service that ignores the offset, or returns its pages in circles, would never end. */
function refuseRepetition(): (items: readonly { readonly id: string }[]) => void {
  const seen = new Set<string>()
  return (items) => {
    const [first] = items
    if (first === undefined) throw new ProtocolError('The list goes on with an empty page')
    const before = seen.size
    for (const { id } of items) seen.add(id)
    if (seen.size === before) throw new ProtocolError(`The list goes in circles: ${first.id} came twice`)
  }
}
