import { createHash } from 'node:crypto'
import { z } from 'zod'
import { defineEndpoint } from '../../http/endpoint.ts'
import { inlineSchemas } from '../../http/named-schemas.ts'

/** The page's style. The page's security policy has its hash. */
const REFERENCE_STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 60rem; padding: 1rem }
h2 { margin-top: 2.5rem; text-transform: capitalize }
details { border: 1px solid #8885; border-radius: .4rem; margin: .5rem 0; padding: 0 1rem }
summary { cursor: pointer; padding: .6rem 0 }
code, th { font-family: ui-monospace, monospace; font-size: .9em }
table { border-collapse: collapse; margin: .3rem 0 1rem; width: 100% }
td, th { border-top: 1px solid #8885; padding: .25rem .5rem; text-align: left; vertical-align: top }
.method { display: inline-block; font-weight: bold; width: 4.5rem }
`

const Schema = z.looseObject({})
const Content = z.record(z.string(), z.looseObject({ schema: Schema.optional() }))
const Operation = z.looseObject({
  summary: z.string().default(''),
  description: z.string().default(''),
  tags: z.array(z.string()).default([]),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().default(false), schema: Schema }))
    .default([]),
  requestBody: z.looseObject({ content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string(), content: Content.default({}) })),
})
const Document = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string().default('') }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
})
type Operation = z.infer<typeof Operation>
type Schema = z.infer<typeof Schema>

/**
 * Renders an OpenAPI document as an HTML page.
 * @throws ZodError when the document is not valid
 */
export function renderReference(document: object): string {
  const { info, paths } = Document.parse(inlineSchemas(document))
  const all = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  )
  const tags = [...new Set(all.flatMap(({ operation }) => operation.tags))]
  const sections = tags.map((tag) => {
    const own = all.filter(({ operation }) => operation.tags.includes(tag))
    return `<h2>${text(tag)}</h2>${own.map(({ path, method, operation }) => renderOperation(method, path, operation)).join('')}`
  })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(info.title)}</title><style>${REFERENCE_STYLE}</style></head>
<body><h1>${text(info.title)} <small>${text(info.version)}</small></h1>
<p>${text(info.description)} This page as <a href="openapi.json">OpenAPI 3.1</a>.</p>
${sections.join('\n')}</body></html>
`
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const { summary, parameters, requestBody, responses } = operation
  const heading = `<span class="method">${text(method.toUpperCase())}</span><code>${text(path)}</code>`
  const rows = parameters.map(({ name, in: place, required, schema }) => ({
    name,
    type: `${place}, ${typeOf(schema)}`,
    required,
    meaning: meaningOf(schema),
  }))
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema = {} }]) => `<h4>Body: <code>${text(type)}</code></h4>${renderFields(fieldsOf(schema))}`,
  )
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const types = Object.keys(content)
      .map((type) => `<code>${text(type)}</code>`)
      .join(', ')
    return `<tr><th>${text(status)}</th><td>${text(description)}</td><td>${types}</td></tr>`
  })
  const [response] = Object.values(responses)
  const fields = fieldsOf(response?.content['application/json']?.schema ?? {})
  return `<details><summary>${heading}<br>${text(summary)}</summary>
<p>${text(operation.description)}</p>
${rows.length === 0 ? '' : `<h4>Parameters</h4>${renderFields(rows)}`}${bodies.join('')}
<h4>Responses</h4><table>${answers.join('')}</table>${renderFields(fields)}</details>
`
}

interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly meaning: string
}

function renderFields(fields: readonly Field[]): string {
  if (fields.length === 0) return ''
  const rows = fields.map(({ name, type, required, meaning }) => {
    return `<tr><th>${text(name)}</th><td>${text(type)}${required ? ', required' : ''}</td><td>${text(meaning)}</td></tr>`
  })
  return `<table>${rows.join('')}</table>`
}

const WithFields = z.looseObject({
  properties: z.record(z.string(), Schema).default({}),
  required: z.array(z.string()).default([]),
  anyOf: z.array(Schema).default([]),
})

/** The fields of an object. Of several alternatives, the fields of the first. */
function fieldsOf(schema: Schema): Field[] {
  const { properties, required, anyOf } = WithFields.parse(schema)
  const [first] = anyOf
  if (first !== undefined) return fieldsOf(first)
  return Object.entries(properties).map(([name, field]) => ({
    name,
    type: typeOf(field),
    required: required.includes(name),
    meaning: meaningOf(field),
  }))
}

const Typed = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(Schema).optional(),
  items: Schema.optional(),
})

function typeOf(schema: Schema): string {
  const { type, enum: values, const: value, anyOf, items } = Typed.parse(schema)
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(' | ')
  if (value !== undefined) return JSON.stringify(value)
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(one)).join(' | ')
  if (items !== undefined) return `array of ${typeOf(items)}`
  return [type ?? 'any'].flat().join(' | ')
}

function meaningOf(schema: Schema): string {
  return typeof schema['description'] === 'string' ? schema['description'] : ''
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function text(value: string): string {
  return value.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)
}

const STYLE_HASH = createHash('sha256').update(REFERENCE_STYLE).digest('base64')

/** `GET /docs`: the OpenAPI document as a page, rendered here. */
export const READ_REFERENCE = defineEndpoint({
  method: 'GET',
  path: '/docs',
  operationId: 'readReference',
  tag: 'service',
  summary: 'This reference as a page without scripts',
  description: 'It loads nothing from other hosts.',
  rules: { page: 'apps/service/docs/operations.md' },
  access: 'open',
  content: { 'text/html': z.string() },
  handle:
    ({ document }) =>
    (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'`)
        .header('x-content-type-options', 'nosniff')
        .send(renderReference(document())),
})
