import { status } from '../faults/status.ts'
import type { RecordedRequest } from '../upstream/recorded-request.ts'
import type { HttpReply } from '../upstream/reply.ts'
import type { World } from './world.ts'

/** The fields of a request's body, from JSON or a form. */
export type Fields = Readonly<Record<string, unknown>>

/** Text fields of a form that carry another type. */
const BOOLEANS = new Set(['stream', 'async', 'diarize'])
const LISTS = new Set(['keyterms'])

/** @throws Refusal when the body is neither a JSON object nor a form */
export function readFields({ json, form, malformed }: RecordedRequest): Fields {
  if (form !== undefined) return Object.fromEntries(Object.entries(form.fields).map(fromForm))
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { ...json }
  throw new Refusal(400, 'invalid_body', null, malformed ?? 'The body must be a JSON object or a form')
}

function fromForm([name, values]: [string, readonly string[]]): [string, unknown] {
  if (LISTS.has(name)) return [name, values]
  const value = values[0] ?? ''
  return [name, BOOLEANS.has(name) ? value === 'true' : value]
}

/** @throws Refusal `missing_required_field` unless every one of these holds text */
export function requireTexts(fields: Fields, ...names: readonly string[]): void {
  for (const name of names) {
    const value = fields[name]
    if (typeof value !== 'string' || value.trim() === '') throw missing(name)
  }
}

/** @throws Refusal `missing_required_field` unless the field is a non-empty array */
export function requireList(fields: Fields, name: string): void {
  const value = fields[name]
  if (!Array.isArray(value) || value.length === 0) throw missing(name)
}

/** A field as text, or the default if it is not text. */
export function textField(fields: Fields, name: string, otherwise: string): string {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : otherwise
}

/** @throws Refusal `invalid_range` unless the query's value is a whole number from `min` to `max` */
export function queryNumber(query: URLSearchParams, name: string, min: number, max: number, otherwise: number): number {
  const text = query.get(name)
  if (text === null) return otherwise
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Refusal(400, 'invalid_range', name, `${name} must be a whole number from ${min} to ${max}`)
  }
  return value
}

/** The refusal of a request without this field. */
export function missing(name: string): Refusal {
  return new Refusal(400, 'missing_required_field', name, `${name} is required`)
}

/** A request that gets an error instead of a happy response. */
export class Refusal extends Error {
  override readonly name = 'Refusal' as const
  readonly reply: HttpReply

  constructor(
    code: number,
    error: string,
    param: string | null,
    message: string,
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.reply = status(code, { headers, error: { code: error, param, message } })
  }
}

/** A request with its whole body, and the data for its response. */
export interface HappyCall {
  readonly world: World
  readonly request: RecordedRequest
  /** The id in the path. */
  readonly id: string
}

/** What an endpoint answers when nothing is scripted. @throws Refusal */
export type HappyResponse = (call: HappyCall) => HttpReply
