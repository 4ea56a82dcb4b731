import type { Agent, buildConnector } from 'undici'

/** What the transport needs of undici. */
export interface UndiciParts {
  readonly Agent: typeof Agent
  readonly buildConnector: typeof buildConnector
}

/**
 * Loads the parts of undici that the transport needs. The main entry of undici 8 also replaces the dispatcher of Node's
 * own `fetch`, so the application would leave its proxy and its mocks. It also loads five times as many files.
 */
export async function loadUndici(): Promise<UndiciParts> {
  try {
    const [agent, connect] = await Promise.all([
      import('undici/lib/dispatcher/agent.js'),
      import('undici/lib/core/connect.js'),
    ])
    return { Agent: agent.default, buildConnector: connect.default }
  } catch {
    // A later undici may move its files.
    return import('undici')
  }
}
