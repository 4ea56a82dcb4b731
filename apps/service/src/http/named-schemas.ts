/** A part of the document that is read here. */
interface ReadDocument {
  readonly paths?: object
  readonly components?: object
}

/**
 * Moves each schema with a `title` to `components.schemas` under that name, and refers to it from where it stood.
 * Generators of clients make one type of each name.
 * @throws TypeError for two different schemas with one name
 */
export function nameSchemas<Document extends ReadDocument>(document: Document): Document {
  const named = new Map<string, object>()
  const paths = hoist(document.paths ?? {}, named)
  const schemas = Object.fromEntries([...named].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return { ...document, paths, components: { ...document.components, schemas } }
}

/** Keywords whose values are no schemas: a title in them is content. */
const CONTENT: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'example', 'examples'])

function hoist(value: unknown, named: Map<string, object>): unknown {
  if (Array.isArray(value)) return value.map((one) => hoist(one, named))
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const [key, child] of Object.entries(value)) copy[key] = CONTENT.has(key) ? child : hoist(child, named)
  const { title, ...schema } = copy
  if (typeof title !== 'string') return copy
  const known = named.get(title)
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new TypeError(`Two different schemas have the name ${title}: name one of them otherwise`)
  }
  named.set(title, schema)
  return { $ref: `#/components/schemas/${title}` }
}

/** The document with each named schema in the places that refer to it. The schemas of this service have no cycles. */
export function inlineSchemas<Document extends ReadDocument>(document: Document): Document {
  const named: unknown = Reflect.get(document.components ?? {}, 'schemas')
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    if (typeof value !== 'object' || value === null) return value
    const reference: unknown = Reflect.get(value, '$ref')
    if (typeof reference === 'string') return inline(Reflect.get(Object(named), reference.split('/').at(-1) ?? ''))
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, inline(child)]))
  }
  return { ...document, paths: inline(document.paths ?? {}) }
}
