import type { Import } from './imports.ts'

/** The layers of the service. A layer may import itself and the layers of its line. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ['domain'],
  'use-cases': ['domain', 'ports', 'services.ts'],
  drivers: ['domain', 'ports'],
  http: ['domain', 'ports', 'services.ts', 'service-options.ts', 'use-cases'],
  endpoints: ['domain', 'ports', 'services.ts', 'use-cases', 'http'],
  workers: ['domain', 'ports', 'services.ts', 'use-cases', 'endpoints'],
  'services.ts': ['domain', 'ports'],
}

/** Packages of drivers. Only the wiring may import them: every layer of the table reaches them through a port. */
const DRIVER_PACKAGES: ReadonlySet<string> = new Set(['@svc-audio/engines'])

/** Layers without Node modules. They reach the system through ports. */
const WITHOUT_NODE: ReadonlySet<string> = new Set(['use-cases', 'workers', 'services.ts'])

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
  if (kind === 'package' && DRIVER_PACKAGES.has(to)) {
    return `${from}: ${layer} must not import ${to}: use a port of @svc-audio/engine-ports`
  }
  const target = layerOf(to)
  if (kind === 'package' || target === layer || allowed.includes(target)) return undefined
  return `${from}: ${layer} must not import ${to}: it may import ${[layer, ...allowed].join(', ')}`
}
