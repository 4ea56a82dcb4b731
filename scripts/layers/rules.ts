import type { Import } from './imports.ts'

/** The rooms of a package and their order. */
export interface House {
  /** Folder of the sources. */
  readonly source: string
  /**
   * Each room with the rooms that it may import besides itself. A room is a folder or a file at the top. Files at the
   * top without a line wire the rooms and may import all.
   */
  readonly rooms: Readonly<Record<string, readonly string[]>>
  /** Rooms without Node modules. They reach the system through ports. */
  readonly withoutNode: ReadonlySet<string>
  /** Packages that the rooms reach through a port. Only the wiring may import them. */
  readonly wiredPackages?: ReadonlySet<string>
  /** Whether a folder is imported by its `index.ts` alone. */
  readonly hasDoors?: boolean
}

/** The layers of the service. */
export const SERVICE: House = {
  source: 'apps/service/src',
  rooms: {
    domain: [],
    ports: ['domain'],
    'use-cases': ['domain', 'ports', 'services.ts'],
    drivers: ['domain', 'ports'],
    http: ['domain', 'ports', 'services.ts', 'service-options.ts', 'use-cases'],
    endpoints: ['domain', 'ports', 'services.ts', 'use-cases', 'http'],
    workers: ['domain', 'ports', 'services.ts', 'use-cases', 'endpoints'],
    'services.ts': ['domain', 'ports'],
  },
  withoutNode: new Set(['use-cases', 'workers', 'services.ts']),
  wiredPackages: new Set(['@svc-audio/engines']),
}

const BASIS = ['wire', 'bytes.ts', 'errors.ts']
const CALLS = [...BASIS, 'checks', 'audio', 'transport', 'uploads', 'streaming', 'tasks']
const CLIENT = [...CALLS, 'resources', 'telemetry.ts', 'client', 'exports.ts', 'main.ts']

/** The rooms of the client, from the bodies of the interface to the runtimes and the optional parts. */
export const CORE: House = {
  source: 'packages/core/src',
  rooms: {
    wire: [],
    'bytes.ts': [],
    'errors.ts': ['wire'],
    checks: BASIS,
    audio: [...BASIS, 'checks'],
    transport: [...BASIS, 'checks'],
    uploads: [...BASIS, 'checks', 'audio', 'transport'],
    streaming: [...BASIS, 'audio', 'transport', 'uploads'],
    tasks: [...BASIS, 'checks', 'transport'],
    resources: CALLS,
    'telemetry.ts': ['errors.ts', 'transport'],
    'gateway.ts': ['errors.ts', 'transport', 'streaming'],
    client: [...CALLS, 'resources', 'telemetry.ts'],
    fetch: CLIENT,
    node: [...CLIENT, 'fetch'],
    subtitles: ['errors.ts'],
    text: [...CALLS, 'resources'],
    webhooks: [...BASIS, 'checks', 'tasks'],
  },
  withoutNode: new Set([
    'wire',
    'checks',
    'audio',
    'transport',
    'uploads',
    'streaming',
    'tasks',
    'resources',
    'client',
    'fetch',
    'subtitles',
    'text',
    'webhooks',
  ]),
  hasDoors: true,
}

/** Returns the room of a file: its first folder, or the file itself. */
function roomOf(file: string): string {
  return file.split('/', 1)[0] ?? ''
}

/** Returns the fault of an import between files of a house, if any. */
export function findFault({ from, to, kind }: Import, house: House): string | undefined {
  const [room, target] = [roomOf(from), roomOf(to)]
  if (kind === 'file' && house.hasDoors === true && room !== target && to !== target && to !== `${target}/index.ts`) {
    return `${from} must not import ${to}: use ${target}/index.ts`
  }
  const allowed = house.rooms[room]
  if (allowed === undefined) return undefined
  if (kind === 'node') {
    return house.withoutNode.has(room) ? `${from}: ${room} must not import ${to}: reach it through a port` : undefined
  }
  if (kind === 'package') {
    return house.wiredPackages?.has(to) === true
      ? `${from}: ${room} must not import ${to}: use a port of @svc-audio/engine-ports`
      : undefined
  }
  if (target === room || allowed.includes(target)) return undefined
  return `${from}: ${room} must not import ${to}: it may import ${[room, ...allowed].join(', ')}`
}
