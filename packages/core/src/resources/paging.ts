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
  const seen = new Set([first.after])
  const repeats = refuseRepetition()
  let offset = first.offset ?? 0
  return ({ data, has_more: more, next_cursor: cursor }) => {
    if (!more) return undefined
    repeats(data)
    const { after: _, offset: __, ...rest } = first
    if (cursor === undefined || cursor === '') return { ...rest, offset: (offset += data.length) }
    if (seen.has(cursor)) throw circles(cursor)
    seen.add(cursor)
    return { ...rest, after: cursor }
  }
}

/**
 * Gives the query of each next page of files, until a page is empty. A short page need not be the last: a service may
 * return fewer files than requested.
 * @throws ProtocolError if the pages repeat
 * @throws InvalidRequestError past the largest offset (interface: Limits)
 */
export function filePages(first: FileListQuery): (page: FileList) => FileListQuery | undefined {
  const repeats = refuseRepetition()
  let offset = first.offset ?? 0
  return ({ data }) => {
    if (data.length === 0) return undefined
    repeats(data)
    offset += data.length
    if (offset <= FILES_OFFSET_MAX) return { ...first, offset }
    throw new InvalidRequestError('invalid_range', 'offset', `a list ends at ${FILES_OFFSET_MAX}: narrow it by purpose`)
  }
}

/** A service that ignores the offset returns the same page forever. */
function refuseRepetition(): (items: readonly { readonly id: string }[]) => void {
  let last: string | undefined
  return ([first]) => {
    if (first === undefined) throw new ProtocolError('The list goes on with an empty page')
    if (first.id === last) throw circles(last)
    last = first.id
  }
}

function circles(twice: string): ProtocolError {
  return new ProtocolError(`The list goes in circles: ${twice} came twice`)
}
