import { HEAD_BYTES, sniff } from './sniff.ts'
import type { NameUpload } from './uploads.ts'

/** Bytes of which nothing is known. */
export const OCTETS = 'application/octet-stream'

/** {@link fitName} by the first bytes of what is sent: give it to a client as its `nameUpload`. */
export const nameUpload: NameUpload = async (name, type, data) => fitName(name, type, await headOf(data))

/** A `Blob` whose file is gone has none; reading it to send it tells why. */
async function headOf(data: Uint8Array | Blob | undefined): Promise<Uint8Array | undefined> {
  if (!(data instanceof Blob)) return data?.subarray(0, HEAD_BYTES)
  const head = data.slice(0, HEAD_BYTES).arrayBuffer()
  return head.then(
    (bytes) => new Uint8Array(bytes),
    () => undefined,
  )
}

/** The formats of the interface, and mp3, by extension. */
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

/** Extensions of types that are not named like them. */
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

/** A name and what stands behind its dot, if that looks like an extension: not that of `Part.2` or `Dr.Miller`. */
const NAME = /^(.*?)(?:\.([a-z][a-z\d]{1,3}|3gp))?$/is

/**
 * The name and type to send an upload with. Services judge a file by its extension, so one that is missing, or that the
 * bytes contradict, is set right: `.oga`, `.bin`, the bare `audio`. An unknown type is told by the bytes or the name.
 *
 * @param head The first bytes, where they are at hand; without them only a missing extension is filled in from the type.
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
