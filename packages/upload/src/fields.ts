import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { ConfigurationError } from '@svc-audio/core'
import { UploadError } from './errors.ts'

/** Text fields of a form by name: text, or a list if the field is repeated. The object has no prototype. */
export interface UploadValues {
  readonly [name: string]: string | readonly string[]
}

/**
 * Checks the text fields of a form: a Standard Schema, such as one of zod, valibot or arktype, or a function that returns
 * the values to use and throws to refuse them.
 */
export type FieldsCheck<Values = UploadValues> =
  | StandardSchemaV1<unknown, Values>
  | ((values: UploadValues) => Values | Promise<Values>)

/** A schema of fields that can say itself as JSON Schema: Standard JSON Schema, as of zod 4.2. */
export type DescribedFields = StandardJSONSchemaV1

/** The values of fields: lists only where a field is repeated. */
export function valuesOf(fields: UploadFields): UploadValues {
  // No prototype, as in the fields themselves: any name is ordinary.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.create is typed any; an empty object fits
  const values = Object.create(null) as Record<string, string | readonly string[]>
  for (const [name, list] of Object.entries(fields)) values[name] = list.length === 1 ? list.join('') : list
  return values
}

/** Checks that have given their hint. Callers repeat their mistakes, and the hint is about the form. */
const hinted = new WeakSet<object>()

const HINT =
  'A field that the schema requires was not before the file. Put the text fields first in the form: fields behind the file arrive after the check'

/**
 * Checks the fields before the file.
 * @throws UploadError `invalid_fields` with the issues of a schema. The first one of a schema that misses a field has a hint
 *   for the developer of the form as its `cause`, which goes to the log.
 * @throws what a function throws
 */
export async function checkFields<Values>(check: FieldsCheck<Values>, fields: UploadFields): Promise<Values> {
  const values = valuesOf(fields)
  if (!isSchema(check)) return check(values)
  const result = await check['~standard'].validate(values)
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(({ message, path = [] }) => ({ field: path.map(keyOf).join('.'), message }))
  const list = issues.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ')
  const misses = result.issues.some(({ path: [name] = [] }) => name !== undefined && !(keyOf(name) in values))
  const needsHint = misses && !hinted.has(check)
  if (needsHint) hinted.add(check)
  const cause = needsHint ? { cause: new ConfigurationError(HINT) } : {}
  throw new UploadError('invalid_fields', `Correct these fields. ${list}`, { issues, ...cause })
}

/** Some vendors' schemas are functions too. */
function isSchema<Values>(check: FieldsCheck<Values>): check is StandardSchemaV1<unknown, Values> {
  return '~standard' in check
}

function keyOf(segment: PropertyKey | StandardSchemaV1.PathSegment): string {
  return String(typeof segment === 'object' ? segment.key : segment)
}

/**
 * Text fields of a form by name, in an object without a prototype. Each value is a list: a repeated field does not
 * change the type. Names are taken literally: brackets and dots have no meaning.
 */
export type UploadFields = Readonly<Record<string, readonly string[]>>

/** An upload with text fields. */
export interface WithFields {
  /** The text fields by name. */
  readonly fields: UploadFields
  /** The first value of a text field in `fields`; `undefined` without such a field. */
  field(name: string): string | undefined
}

/** Adds `field()` to an upload. It is not enumerable, so a description stays data that can be cloned and compared. */
export function withField<Upload extends { readonly fields: UploadFields }>(upload: Upload): Upload & WithFields {
  const field = (name: string): string | undefined => upload.fields[name]?.[0]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the property is defined here
  return Object.defineProperty(upload, 'field', { value: field }) as Upload & WithFields
}

/** Collects text fields. */
export class FormFields {
  #fields: Record<string, string[]> = emptyFields()

  add(name: string, value: string): void {
    const values = this.#fields[name]
    if (values === undefined) this.#fields[name] = [value]
    else values.push(value)
  }

  /** Fields collected since the last call. */
  take(): UploadFields {
    const fields = this.#fields
    this.#fields = emptyFields()
    return fields
  }
}

function emptyFields(): Record<string, string[]> {
  // No prototype: `__proto__` and `constructor` are ordinary field names.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.create is typed any; an empty object fits
  return Object.create(null) as Record<string, string[]>
}
