import { builtinEnvironments, type Environment } from 'vitest/runtime'

/** Globals that stay Node's own: requests, streams, files and signals of the page's client work as in a browser. */
const NATIVE = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'File',
  'FormData',
  'Headers',
  'ReadableStream',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'fetch',
  'performance',
]

/** The environment of tests that render the page: happy-dom's elements and events. */
const environment: Environment = {
  name: 'page',
  viteEnvironment: 'client',
  async setup(global, options) {
    const natives = NATIVE.map((name) => [name, Object.getOwnPropertyDescriptor(global, name)] as const)
    const page = await builtinEnvironments['happy-dom'].setup(global, {
      ...options,
      happyDOM: { url: 'http://127.0.0.1:5173/speak' },
    })
    for (const [name, descriptor] of natives) {
      if (descriptor !== undefined) Object.defineProperty(global, name, descriptor)
    }
    return page
  },
}

export default environment
