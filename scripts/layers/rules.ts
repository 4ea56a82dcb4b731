import type { Import } from './imports.ts'

/** The layers of the service: a layer may import itself and those that its line names. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ['domain'],
  'use-cases': ['domain', 'ports', 'services.ts'],
  operations: ['domain', 'ports', 'services.ts', 'use-cases'],
  drivers: ['domain', 'ports'],
  http: ['domain', 'ports', 'services.ts', 'service-options.ts', 'use-cases', 'operations'],
  routes: ['domain', 'ports', 'services.ts', 'use-cases', 'operations', 'http'],
  'services.ts': ['domain', 'ports'],
}

/** Layers whose code must run anywhere: they reach the system through ports. */
const WITHOUT_NODE: ReadonlySet<string> = new Set(['use-cases', 'operations', 'services.ts'])

/** The layer of a file: its first folder, or the file itself. */
export function layerOf(file: string): string {
  return file.split('/', 1)[0] ?? ''
}

/** What is wrong with an import, or nothing. Files without a line in the table wire the others, and may import all. */
export function findFault({ from, to, kind }: Import): string | undefined {
  const layer = layerOf(from)
  const allowed = LAYERS[layer]
  if (allowed === undefined) return undefined
  if (kind === 'node') {
    if (WITHOUT_NODE.has(layer)) return `${from}: ${layer} must not import ${to}: reach it through a port`
    return undefined
  }
  const target = layerOf(to)
  if (kind === 'package' || target === layer || allowed.includes(target)) return undefined
  return `${from}: ${layer} must not import ${to}: it may import ${[layer, ...allowed].join(', ')}`
}
