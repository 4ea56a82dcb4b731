/** Every endpoint of the interface, and the downloads behind `url` results. */
export const ROUTES = [
  'POST /v1/audio/speech',
  'POST /v1/audio/speech/speakers',
  'POST /v1/audio/transcriptions',
  'POST /v1/audio/voices',
  'GET /v1/audio/voices',
  'POST /v1/audio/voice/generations',
  'GET /v1/audio/tasks/{task_id}',
  'POST /v1/files',
  'GET /v1/files',
  'GET /v1/files/{file_id}',
  'DELETE /v1/files/{file_id}',
  'GET /v1/models',
  'GET /v1/audio/results/{result_id}',
] as const

/** An endpoint, spelled as the interface spells it. */
export type Route = (typeof ROUTES)[number]

/** Target of a request. */
export interface RouteMatch {
  /** Absent for an unknown path or method. */
  readonly route?: Route
  /** The id in the path; empty without one. */
  readonly id: string
  /** Methods of the path; empty for an unknown path. */
  readonly methods: readonly string[]
}

const PATTERNS = ROUTES.map((route) => {
  const [method = '', path = ''] = route.split(' ')
  return { route, method, path: new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`) }
})

/** @param path Without its query. */
export function matchRoute(method: string, path: string): RouteMatch {
  const fitting = PATTERNS.filter((pattern) => pattern.path.test(path))
  const found = fitting.find((pattern) => pattern.method === method)
  const methods = fitting.map((pattern) => pattern.method)
  if (found === undefined) return { id: '', methods }
  return { route: found.route, id: found.path.exec(path)?.[1] ?? '', methods }
}
