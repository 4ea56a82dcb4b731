import { HEAD_BYTES, sniff } from '../audio/index.ts'
import { isBlob, readBlob } from './binary.ts'
import { type NameUpload, OCTETS } from './source.ts'

/**
 * Gives an upload a name and a type that fit its first bytes: services recognize the format by the name. Pass it to a
 * client as `nameUpload`.
 */
export const nameUpload: NameUpload = async (name, type, data) => fitName(name, type, await headOf(data))

/** A `Blob` of a deleted file has no first bytes. Sending it throws the reason. */
async function headOf(data: Uint8Array | Blob | undefined): Promise<Uint8Array | undefined> {
  if (!isBlob(data)) return data?.subarray(0, HEAD_BYTES)
  return readBlob(data.slice(0, HEAD_BYTES)).catch(() => undefined)
}

/** MIME types by extension: the formats of the interface, and mp3. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['aac', 'audio/aac'],
  ['alac', 'audio/mp4'],
  ['amr', 'audio/amr'],
  ['flac', 'audio/flac'],
  ['m4a', 'audio/mp4'],
  ['mov', 'video/quicktime'],
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
  ['mpg', 'video/mpeg'],
  ['ogg', 'audio/ogg'],
  ['opus', 'audio/ogg'],
  ['wav', 'audio/wav'],
  ['webm', 'video/webm'],
  ['wma', 'audio/x-ms-wma'],
])

/** Extensions of types with a different name. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['aacp', 'aac'],
  ['mp4', 'm4a'],
  ['mpeg', 'mp3'],
  ['ms-wma', 'wma'],
  ['quicktime', 'mov'],
  ['video/mp4', 'mp4'],
  ['video/mpeg', 'mpg'],
  ['wave', 'wav'],
])

/** A name and its extension. `Part.2` and `Dr.Miller` have none. */
const NAME = /^(.*?)(?:\.([a-z][a-z\d]{1,3}|3gp))?$/is

/**
 * Chooses the name and type of an upload. Services judge a file by its extension. A missing extension, or one that the
 * bytes contradict, is corrected: `.oga`, `.bin`, the bare `audio`. An unknown type is derived from the bytes or the
 * name.
 *
 * @param head The first bytes, if available. Without them, only a missing extension is added, from the type.
 */
export function fitName(name: string, type: string, head?: Uint8Array): { name: string; type: string } {
  const [, stem = '', given] = NAME.exec(name) ?? []
  const extension = given?.toLowerCase()
  const fitting = (head && sniff(head)) ?? [extension ?? fromType(type)]
  const best = extension !== undefined && fitting.includes(extension) ? extension : fitting[0]
  return {
    name: best === extension ? name : `${stem || 'audio'}.${best}`,
    type: (type === OCTETS && best !== undefined && TYPES.get(best)) || type,
  }
}

function fromType(type: string): string | undefined {
  const [, family = '', kind = ''] = /^(\w+)\/(?:x-|vnd\.)?([\w-]+)/.exec(type.toLowerCase()) ?? []
  const extension = EXTENSIONS.get(`${family}/${kind}`) ?? EXTENSIONS.get(kind) ?? kind
  return TYPES.has(extension) ? extension : undefined
}
