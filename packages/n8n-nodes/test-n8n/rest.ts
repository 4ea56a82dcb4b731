import { setTimeout as delay } from 'node:timers/promises'
import type { IConnections, INode, INodeTypeDescription, IWorkflowSettings } from 'n8n-workflow'
import { OWNER } from './server.ts'

/** n8n ties a session to the browser that began it. */
export const BROWSER_ID = 'browser-of-the-test'

/** A workflow as n8n imports one. */
export interface Workflow {
  readonly name: string
  readonly nodes: readonly Partial<INode>[]
  readonly connections: IConnections
  readonly settings?: IWorkflowSettings
}

/** A run of a workflow. */
export interface Execution {
  readonly id: string
  readonly status: string
  /** What began it. */
  readonly mode?: string
}

/** What the editor asks n8n's server for. */
export class N8nRest {
  readonly url: string
  #cookie = ''
  readonly #credentials = new Set<string>()

  constructor(url: string) {
    this.url = url
  }

  /** Makes the owner of a new instance, and signs in. */
  async setUp(): Promise<void> {
    await this.send('POST', '/rest/owner/setup', { ...OWNER, firstName: 'Owner', lastName: 'Test' })
  }

  /** The session for a browser. */
  get session(): { readonly name: string; readonly value: string; readonly url: string } {
    const [name = '', value = ''] = this.#cookie.split(/=(.*)/s)
    return { name, value, url: this.url }
  }

  /** @throws Error for any status but 2xx */
  async send<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const request = (): Promise<Response> =>
      fetch(this.url + path, {
        method,
        headers: { 'content-type': 'application/json', 'browser-id': BROWSER_ID, cookie: this.#cookie },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    // n8n closes a connection that is idle, which a request may meet
    let response = await request().catch((error: unknown) => (method === 'GET' ? request() : Promise.reject(error)))
    for (let tries = 0; isBusy(response) && tries < 60; tries += 1) {
      await delay(1000)
      response = await request()
    }
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    const [cookie = ''] = response.headers.getSetCookie()
    if (cookie.startsWith('n8n-auth=')) this.#cookie = cookie.split(';', 1)[0] ?? ''
    const { data } = JSON.parse(text) as { data: Data }
    return data
  }

  /** The types of nodes that the editor offers, those of tools included. */
  async nodeTypes(): Promise<INodeTypeDescription[]> {
    const response = await fetch(`${this.url}/types/nodes.json`, { headers: { cookie: this.#cookie } })
    return (await response.json()) as INodeTypeDescription[]
  }

  /** The newest version of a type of nodes. Each release of n8n has others. */
  async newestVersion(type: string): Promise<number> {
    const types = await this.nodeTypes()
    return Math.max(...types.filter(({ name }) => name === type).flatMap(({ version }) => version))
  }

  /** @returns The id of the credential. */
  async addCredential(name: string, type: string, data: object): Promise<string> {
    const { id } = await this.send<{ id: string }>('POST', '/rest/credentials', { name, type, data })
    this.#credentials.add(id)
    return id
  }

  /** Removes all credentials that were added but one: the editor gives a new node the newest of its type. */
  async removeCredentials(but: string): Promise<void> {
    for (const id of this.#credentials) {
      if (id === but) continue
      await this.send('DELETE', `/rest/credentials/${id}`)
      this.#credentials.delete(id)
    }
  }

  /** Saves a workflow. @returns Its id. */
  async addWorkflow(workflow: Workflow, { publish = false } = {}): Promise<string> {
    // as the editor saves them: newer releases need the pinned data to execute a second node, older ones the switch
    const settings = { executionOrder: 'v1', ...workflow.settings }
    const saved = { ...workflow, settings, pinData: {}, active: false }
    const made = await this.send<{ id: string; versionId: string }>('POST', '/rest/workflows', saved)
    if (publish) await this.send('POST', `/rest/workflows/${made.id}/activate`, { versionId: made.versionId })
    return made.id
  }

  /** The last run of a workflow once it has ended. @throws Error when it failed, or does not end */
  async finished(workflowId: string, timeout = 60_000): Promise<Execution> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }))
    for (const end = Date.now() + timeout; Date.now() < end; await delay(300)) {
      const { results } = await this.send<{ results: Execution[] }>('GET', `/rest/executions?filter=${filter}&limit=1`)
      const [last] = results
      if (last?.status === 'success') return last
      if (last !== undefined && /error|crashed|canceled/.test(last.status)) {
        throw new Error(`The workflow ended with ${last.status}: ${(await this.dataOf(last)).slice(0, 2000)}`)
      }
    }
    throw new Error('The workflow does not end')
  }

  /** The runs of a workflow that a webhook began, without those of the workflows that they started. */
  async runs(workflowId: string): Promise<Execution[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }))
    const { results } = await this.send<{ results: Execution[] }>('GET', `/rest/executions?filter=${filter}&limit=50`)
    return results.filter(({ mode }) => mode === 'webhook')
  }

  /** What a run output, as text. */
  async dataOf({ id }: Execution): Promise<string> {
    const { data } = await this.send<{ data: string }>('GET', `/rest/executions/${id}`)
    return data
  }
}

/** n8n 2.0 refuses requests while its database is slow. */
export function isBusy({ status }: Response): boolean {
  return status === 503
}

/** Calls a webhook, which n8n registers a moment after a workflow was published. */
export async function callWebhook(rest: N8nRest, start: INode, body: FormData | ''): Promise<Response> {
  const path = start.parameters['path'] as string
  const call = (): Promise<Response> => fetch(`${rest.url}/webhook/${path}`, { method: 'POST', body })
  let response = await call()
  for (let tries = 0; (response.status === 404 || isBusy(response)) && tries < 60; tries += 1) {
    await delay(500)
    response = await call()
  }
  if (!response.ok)
    throw new Error(`The workflow of ${start.name} answered ${response.status}: ${await response.text()}`)
  return response
}
