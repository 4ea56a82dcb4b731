import type { Import } from './imports.ts'

/** The layers of the service. A layer may import itself and the layers of its line. */
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

/** Layers without Node modules. They reach the system through ports. */
const WITHOUT_NODE: ReadonlySet<string> = new Set(['use-cases', 'operations', 'services.ts'])

/** Returns the layer of a file: its first folder, or the file itself. */
export function layerOf(file: string): string {
  return file.split('/', 1)[0] ?? ''
}

/** Returns the fault of an import, if any. Files without a line in the table wire the layers and may import all. */
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
