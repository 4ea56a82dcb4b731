import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow'

const CHECK = 'Change the value, or check its expression.'

/**
 * The form of the node as it is filled in for one item. A path is the name of a field, or `options.` and the name of an
 * option. A value given by an expression counts like one that was typed in: `"1500"` is a number, `"Fox,Brown"` a list.
 */
export class ItemForm {
  readonly #context: IExecuteFunctions
  readonly #itemIndex: number
  readonly #fields: readonly INodeProperties[]
  #options: Readonly<Record<string, unknown>> | undefined

  /** @param fields The fields of the operation, for display names. */
  constructor(context: IExecuteFunctions, itemIndex: number, fields: readonly INodeProperties[]) {
    this.#context = context
    this.#itemIndex = itemIndex
    this.#fields = fields
  }

  /** Whether the value was set: the form leaves an unset value empty. */
  has(path: string): boolean {
    return isSet(this.read(path))
  }

  /** Whether a resource locator holds a name in place of an id. */
  isByName(path: string): boolean {
    return hasName(this.#context.getNodeParameter(path, this.#itemIndex, ''))
  }

  /** The value as n8n resolves it; of a resource locator, its id. */
  read(path: string): unknown {
    const [field = '', option] = path.split('.')
    if (option === undefined) {
      return this.#context.getNodeParameter(field, this.#itemIndex, '', { extractValue: true })
    }
    this.#options ??= toRecord(this.#context.getNodeParameter(field, this.#itemIndex, {}))
    return this.#options[option]
  }

  /** Text, empty when it is not set. @throws FormError for an object or a list */
  text(path: string): string {
    return this.#convert(path, toText, 'text') ?? ''
  }

  /** Text that must be there. @throws FormError when it is empty */
  required(path: string): string {
    const text = this.text(path).trim()
    if (text === '') throw this.error(path, 'is required', 'Fill in the field, or check its expression.')
    return text
  }

  /** Text, `undefined` when it is not set. @throws FormError for an object or a list */
  optionalText(path: string): string | undefined {
    return this.#convert(path, toText, 'text')
  }

  /** A number of at least `min`, `undefined` when it is not set. @throws FormError for anything else */
  number(path: string, min = 0): number | undefined {
    const number = this.#convert(path, toNumber, 'a number')
    if (number !== undefined && number < min) throw this.error(path, `must be ${min} or more, got ${number}`, CHECK)
    return number
  }

  /** A number of seconds, in milliseconds; `undefined` when it is not set. @throws FormError for anything else */
  milliseconds(path: string, min = 0): number | undefined {
    const seconds = this.number(path, min)
    return seconds === undefined ? undefined : seconds * 1000
  }

  /** As {@link ItemForm.number}, whole numbers alone. @throws FormError for anything else */
  whole(path: string, min = 0): number | undefined {
    const number = this.number(path, min)
    if (number !== undefined && !Number.isInteger(number))
      throw this.error(path, `must be a whole number, got ${number}`, CHECK)
    return number
  }

  /** `undefined` when it is not set. @throws FormError for anything but true or false */
  boolean(path: string): boolean | undefined {
    return this.#convert(path, toBoolean, 'true or false')
  }

  /** Texts that are not empty. @throws FormError for an object or a list of objects */
  list(path: string): string[] {
    return this.#convert(path, toList, 'a list of texts, or texts separated by commas') ?? []
  }

  /** One of the values that the field offers. @throws FormError for another one */
  choice(path: string): string {
    const values = this.#choices(path)
    const text = this.text(path)
    if (values.includes(text)) return text
    throw this.error(path, `must be one of ${values.join(', ')}, got ${quote(text)}`, 'Choose it from the list.')
  }

  /** Several of the values that the field offers, in the order of the field. @throws FormError for another one */
  choices(path: string): string[] {
    const values = this.#choices(path)
    const chosen = this.list(path)
    const unknown = chosen.find((one) => !values.includes(one))
    if (unknown === undefined) return values.filter((one) => chosen.includes(one))
    throw this.error(path, `must be some of ${values.join(', ')}, got ${quote(unknown)}`, 'Choose them from the list.')
  }

  /** An error that names the field by its display name. */
  error(path: string, fault: string, remedy: string): FormError {
    return new FormError(this.#displayName(path), fault, remedy)
  }

  #convert<Value>(path: string, convert: (value: unknown) => Value | undefined, kind: string): Value | undefined {
    const value = this.read(path)
    if (!isSet(value)) return undefined
    const converted = convert(value)
    if (converted === undefined) throw this.error(path, `must be ${kind}, got ${quote(value)}`, CHECK)
    return converted
  }

  #choices(path: string): string[] {
    return this.#find(path).flatMap(({ options = [] }) => options.flatMap(choiceOf))
  }

  #displayName(path: string): string {
    return this.#find(path)[0]?.displayName ?? path
  }

  /** Several fields may share a name: one for tools, one for everything else. */
  #find(path: string): INodeProperties[] {
    const [name, option] = path.split('.')
    const found = this.#fields.filter((field) => field.name === name)
    if (option === undefined) return found
    return found.flatMap(({ options = [] }) => options.filter(isProperty).filter((one) => one.name === option))
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
}

function choiceOf(option: object): string[] {
  return 'value' in option && typeof option.value === 'string' ? [option.value] : []
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function isProperty<Option extends object>(option: Option): option is Option & INodeProperties {
  return 'type' in option
}

/** Short enough for a message. */
function quote(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value)
  return json.length > 60 ? `${json.slice(0, 57)}...` : json
}

/** A value in the node's form that cannot be used. It is found before any request. */
export class FormError extends Error {
  override readonly name = 'FormError'
  /** Display name of the field. */
  readonly field: string
  /** What the user can do about it. */
  readonly remedy: string

  /**
   * @param field Display name of the field.
   * @param fault What is wrong with the value, e.g. `must be a number, got "soon"`.
   */
  constructor(field: string, fault: string, remedy: string) {
    super(`${field}: ${fault}`)
    this.field = field
    this.remedy = remedy
  }
}

/**
 * An expression gives text where the form gives a number, a switch or a list. Each function returns `undefined` for a
 * value that cannot be meant.
 */

/** A finite number, or the text of one. */
export function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** `true`, `false`, 1, 0 or the text of one of them. */
function toBoolean(value: unknown): boolean | undefined {
  const text = String(value).trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

/** A text or a number. */
export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** A list of texts: an array, the JSON of one, or texts separated by commas, semicolons or line breaks. */
export function toList(value: unknown): string[] | undefined {
  const items = Array.isArray(value) ? value : splitList(toText(value))
  const texts = items?.map(toText)
  if (texts === undefined || texts.includes(undefined)) return undefined
  return texts.map((text) => text?.trim() ?? '').filter((text) => text !== '')
}

function splitList(text: string | undefined): unknown[] | undefined {
  if (text === undefined) return undefined
  return text.trim().startsWith('[') ? parseArray(text) : text.split(/[,;\n]/)
}

/** The array that a JSON text holds. */
export function parseArray(text: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/**
 * The rows of a fixed collection, or the array that an expression gave in its place.
 * @param group Name of the group of the collection.
 */
export function rowsOf(value: unknown, group: string): unknown[] {
  const found: unknown =
    typeof value === 'object' && value !== null && group in value ? Reflect.get(value, group) : value
  return Array.isArray(found) ? found : []
}

/** A text of a row, or the id of a resource locator. Empty for what is neither: the check of the request then names it. */
export function rowText(row: unknown, field: string): string {
  const value = fieldOf(row, field)
  const isLocator = fieldOf(value, '__rl') === true
  return toText(isLocator ? fieldOf(value, 'value') : value) ?? ''
}

/** Whether the resource locator of a row holds a name in place of an id. */
export function isNamed(row: unknown, field: string): boolean {
  return hasName(fieldOf(row, field))
}

function hasName(locator: unknown): boolean {
  return fieldOf(locator, '__rl') === true && fieldOf(locator, 'mode') === 'name'
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined
}
