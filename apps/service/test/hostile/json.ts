import * as fc from 'fast-check'
import { hostileName, hostileValue } from './values.ts'

/** A JSON object. */
export type Body = Readonly<Record<string, unknown>>

type FieldMutation = (body: Body) => Body
type JsonMutation = (text: string) => JsonBody

/** Mutations of the fields of a body. */
export const fieldMutation: fc.Arbitrary<FieldMutation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(50), hostileValue).map(
      ([at, value]): FieldMutation =>
        (body) =>
          change(body, at, () => value),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.nat(50).map((at): FieldMutation => (body) => {
      const left = Object.keys(body).filter((_, index) => index !== at % Object.keys(body).length)
      return Object.fromEntries(left.map((name) => [name, body[name]]))
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(hostileName, hostileValue).map(
      ([name, value]): FieldMutation =>
        (body) =>
          // `__proto__` as an own field.
          Object.defineProperty({ ...body }, name, { value, enumerable: true, configurable: true, writable: true }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(50).map(
      (at): FieldMutation =>
        (body) =>
          change(body, at, (value) => [value]),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(50).map(
      (at): FieldMutation =>
        (body) =>
          change(body, at, (value) => JSON.stringify(value)?.toUpperCase()),
    ),
  },
)

function change(body: Body, at: number, to: (value: unknown) => unknown): Body {
  const names = Object.keys(body)
  const name = names[at % Math.max(1, names.length)]
  return name === undefined ? body : { ...body, [name]: to(body[name]) }
}

/** JSON on the wire, with its content type. */
export interface JsonBody {
  readonly body: Buffer
  readonly contentType: string
}

const asJson = (text: string | Buffer): JsonBody => ({ body: Buffer.from(text), contentType: 'application/json' })

/** Mutations of JSON on the wire. */
export const jsonMutation: fc.Arbitrary<JsonMutation> = fc.oneof(
  fc.nat(1000).map(
    (share): JsonMutation =>
      (text) =>
        asJson(text.slice(0, Math.floor((text.length * share) / 1000))),
  ),
  fc.uint8Array({ maxLength: 200 }).map(
    (bytes): JsonMutation =>
      () =>
        asJson(Buffer.from(bytes)),
  ),
  fc.constantFrom<JsonMutation>(
    (text) => asJson(`[${text}]`),
    (text) => asJson(`\uFEFF${text}`),
    (text) => asJson(text.replace('{', '{"model":"svc-tts-1.0-pro","model":7,')),
    (text) => asJson(text.replace('{', '{"__proto__":{"async":true},')),
    (text) => asJson(Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xc3, 0x28, 0xff, 0x7d])])),
    () => asJson('['.repeat(100_000)),
    () => asJson(`{"input":"${'x'.repeat(3_000_000)}"}`),
    () => asJson(`{"input":${'9'.repeat(10_000)}}`),
    () => asJson(''),
    () => asJson('null'),
    (text) => ({ body: Buffer.from(text, 'utf16le'), contentType: 'application/json; charset=utf-16' }),
    (text) => ({ body: Buffer.from(text), contentType: 'application/json; charset=iso-8859-5' }),
    (text) => ({ body: Buffer.from(text), contentType: 'text/plain' }),
    (text) => ({ body: Buffer.from(text), contentType: 'application/xml' }),
    (text) => ({ body: Buffer.from(text), contentType: 'multipart/form-data; boundary=x' }),
    (text) => ({ body: Buffer.from(text), contentType: '' }),
  ),
)
