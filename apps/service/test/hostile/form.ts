import * as fc from 'fast-check'
import { hostileName } from './values.ts'

/** A part of a form: text, or a file if it has a file name. */
export interface Part {
  readonly name: string
  readonly value: Buffer
  /** Put into the header unchanged. */
  readonly filename?: string
}

/** A multipart body and its content type. */
export interface FormBody {
  readonly body: Buffer
  readonly contentType: string
}

const BOUNDARY = 'hostile-boundary'
const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** Names that must not lead anywhere. */
export const FILE_NAMES = [
  '../../../../../../tmp/svc-audio-escaped',
  '..\\..\\..\\svc-audio-escaped',
  '/etc/passwd',
  'C:\\boot.ini',
  '\\\\host\\share\\x',
  'file:///etc/passwd',
  '.',
  '..',
  '',
  ' ',
  '~root',
  '%2e%2e%2f%2e%2e%2fescaped',
  'a\u0000b.wav',
  'CON',
  '$(touch escaped).wav',
  '`touch escaped`',
  '-i.wav',
  'concat:a|b',
  '\u202Egnp.wav',
  'x'.repeat(5000),
  '.part',
  'service.sqlite',
  'quote\\".wav',
] as const

/** A well-formed form. */
export function form(parts: readonly Part[]): FormBody {
  return { body: Buffer.concat([...parts.map(encode), Buffer.from(`--${BOUNDARY}--\r\n`)]), contentType: CONTENT_TYPE }
}

function encode({ name, value, filename }: Part): Buffer {
  const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: audio/wav`
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), value, Buffer.from('\r\n')])
}

type PartMutation = (parts: readonly Part[]) => Part[]
type WireMutation = (whole: FormBody) => FormBody

/** Mutations of the parts of a form. */
export const partMutation: fc.Arbitrary<PartMutation> = fc.oneof(
  fc.nat(20).map(
    (at): PartMutation =>
      (parts) =>
        parts.filter((_, index) => index !== at % parts.length),
  ),
  fc.nat(20).map((at): PartMutation => (parts) => [...parts, ...parts.slice(at % parts.length)]),
  fc.constantFrom(...FILE_NAMES).map(
    (filename): PartMutation =>
      (parts) =>
        parts.map((part) => (part.filename === undefined ? part : Object.assign({}, part, { filename }))),
  ),
  hostileName.map((name): PartMutation => (parts) => [...parts, { name, value: Buffer.from('x') }]),
  fc.constantFrom(300, 70_000).map(
    (count): PartMutation =>
      (parts) =>
        count === 300
          ? [...parts, ...Array.from({ length: count }, (_, index) => ({ name: `n${index}`, value: Buffer.from('x') }))]
          : [...parts, { name: 'long', value: Buffer.alloc(count, 120) }],
  ),
  fc.uint8Array({ maxLength: 400 }).map(
    (bytes): PartMutation =>
      (parts) =>
        parts.map((part) =>
          part.filename === undefined ? part : Object.assign({}, part, { value: Buffer.from(bytes) }),
        ),
  ),
  fc.tuple(fc.nat(20), fc.string({ unit: 'binary', maxLength: 30 })).map(
    ([at, text]): PartMutation =>
      (parts) =>
        parts.map((part, index) =>
          index === at % parts.length ? Object.assign({}, part, { value: Buffer.from(text) }) : part,
        ),
  ),
)

const swap =
  (from: string, to: string) =>
  ({ body, contentType }: FormBody): FormBody => ({
    body: Buffer.from(body.toString('latin1').replaceAll(from, to), 'latin1'),
    contentType,
  })
const retype =
  (contentType: string) =>
  ({ body }: FormBody): FormBody => ({ body, contentType })

/** Mutations of a form on the wire. */
export const wireMutation: fc.Arbitrary<WireMutation> = fc.oneof(
  fc.nat(1000).map((share): WireMutation => ({ body, contentType }) => ({
    body: body.subarray(0, Math.floor((body.byteLength * share) / 1000)),
    contentType,
  })),
  fc.uint8Array({ maxLength: 300 }).map((bytes): WireMutation => ({ contentType }) => ({
    body: Buffer.from(bytes),
    contentType,
  })),
  fc.constantFrom(
    swap(`--${BOUNDARY}--`, ''),
    swap('\r\n', '\n'),
    swap('Content-Disposition', 'Content-Disposal'),
    swap('form-data', 'attachment'),
    swap('name=', 'name*=utf-8%27%27%ff'),
    swap('\r\n\r\n', `\r\nX-Long: ${'h'.repeat(20_000)}\r\n\r\n`),
    swap('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n'),
    swap('\r\n\r\n', '\r\nContent-Type: multipart/mixed; boundary=inner\r\n\r\n'),
    retype('multipart/form-data'),
    retype('multipart/form-data; boundary='),
    retype(`multipart/form-data; boundary=${'b'.repeat(300)}`),
    retype('multipart/form-data; boundary=other'),
    retype(`multipart/mixed; boundary=${BOUNDARY}`),
    retype('application/json'),
    retype('text/plain'),
    retype(''),
  ),
)
