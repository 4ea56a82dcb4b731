import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { type CreatedOperations, createSpeechOperations, type SpeechToolsOptions } from '@svc-audio/agent-tools'
import { ConfigurationError } from '@svc-audio/core'
import { callback, findOptionFault, flag, methods, milliseconds, oneOf, optional, type OptionRule } from '#options'
import { AudioResources, hasPaths } from './audio-resources.ts'
import { callTool, describeTools } from './call-tool.ts'
import { PLAY } from './play-tool.ts'
import { AUDIO_OUTPUTS, type ServerContext, type ServerSettings } from './server-context.ts'

export type { McpRunContext } from './server-context.ts'

/** Options of {@link createSpeechServer}: those of the tools, and of the server. `forRun` gets an {@link McpRunContext}. */
export interface SpeechServerOptions extends SpeechToolsOptions, ServerSettings {}

/** Tools and settings that the servers of several sessions share. */
export interface ServerParts {
  readonly created: CreatedOperations
  readonly settings: ServerSettings
}

/**
 * Makes an MCP server for one client. Connect it to a transport of the official SDK:
 * `await createSpeechServer(options).connect(new StdioServerTransport())`.
 *
 * @throws ConfigurationError naming the option
 */
export function createSpeechServer(options: SpeechServerOptions): Server {
  return serverOf(serverParts(options))
}

/** Default of `taskAfter`, in milliseconds: well below the 60 seconds of many clients. */
const TASK_AFTER = 40_000

/** Checks the options. @throws ConfigurationError naming the option */
export function serverParts(options: SpeechServerOptions): ServerParts {
  const { output, player, clientRoots = false, taskAfter = TASK_AFTER, onFailure, ...tools } = options
  const fault = findOptionFault({ output, player, clientRoots, taskAfter, onFailure }, RULES, 'createSpeechServer()')
  if (fault !== undefined) throw new ConfigurationError(fault.message)
  const created = createSpeechOperations(tools, { callerRoots: clientRoots, taskAfter })
  const { store, names } = created.options
  if (output === 'file' && !hasPaths(store)) {
    throw new ConfigurationError("`output` 'file' needs a store whose audio has paths: use folderAudioStore()")
  }
  if (player !== undefined && Object.values(names).includes(PLAY)) {
    throw new ConfigurationError('`names` has "play", which is the tool of `player`: choose another name')
  }
  const given = { ...(output === undefined ? {} : { output }), ...(onFailure === undefined ? {} : { onFailure }) }
  return { created, settings: { ...given, player, clientRoots } }
}

/** A server over tools that several sessions share, with their transcripts. */
export function serverOf({ created, settings }: ServerParts): Server {
  const { names, allowUrls } = created.options
  const { output = 'reference', player, clientRoots = false, onFailure } = settings
  const instructions =
    `Audio is named by references. ${names.speak} returns one; ${names.transcribe} takes one` +
    `${allowUrls ? ' or a public https URL' : ''}${created.options.paths ? ' or a path' : ''}.` +
    ` A reference is also the resource svc-audio://audio/{reference}.` +
    (player === undefined ? '' : ` The user hears audio when you call ${PLAY}.`)
  const server = new Server(
    { name: 'svc-audio', title: 'Speech and transcription', version: packageVersion() },
    { capabilities: { tools: {}, resources: { listChanged: true } }, instructions },
  )
  const roots = clientRoots ? new ClientRoots(server) : undefined
  const context: ServerContext = {
    created,
    output,
    player,
    onFailure,
    roots: async (signal) => (await roots?.list(signal)) ?? [],
    client: server,
  }
  const resources = new AudioResources(created, () => {
    // The client may have closed.
    server.sendResourceListChanged().catch(() => {})
  })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: describeTools(context) }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => callTool(context, resources, params, extra))
  server.setRequestHandler(ListResourcesRequestSchema, async (_, extra) => ({ resources: await resources.list(extra) }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: resources.templates() }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, extra) => resources.read(params.uri, extra))
  return server
}

const RULES: Readonly<Record<keyof ServerSettings, OptionRule>> = {
  output: optional(oneOf(AUDIO_OUTPUTS)),
  player: optional(methods('play')),
  clientRoots: flag,
  taskAfter: milliseconds,
  onFailure: optional(callback),
}

/** The folders that a client names as its roots. They are requested once, and again when the client says that they changed. */
class ClientRoots {
  readonly #server: Server
  #known: readonly string[] | undefined

  constructor(server: Server) {
    this.#server = server
    server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
      this.#known = undefined
    })
  }

  /** Paths of the roots. None if the client has no roots or does not answer. */
  async list(signal: AbortSignal): Promise<readonly string[]> {
    if (this.#server.getClientCapabilities()?.roots === undefined) return []
    this.#known ??= await this.#request(signal)
    return this.#known ?? []
  }

  async #request(signal: AbortSignal): Promise<readonly string[] | undefined> {
    try {
      const { roots } = await this.#server.listRoots({}, { signal })
      return roots.flatMap(({ uri }) => pathsOf(uri))
    } catch {
      signal.throwIfAborted()
      // The next call asks again.
      return undefined
    }
  }
}

function pathsOf(uri: string): string[] {
  try {
    return [fileURLToPath(uri)]
  } catch {
    return []
  }
}

/** The version in this package's manifest. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const version: unknown = typeof manifest === 'object' && manifest !== null && Reflect.get(manifest, 'version')
  return typeof version === 'string' ? version : '0.0.0'
}

/**
 * Serves one client over standard input and output, until it closes them. Nothing else may write to standard output. The
 * client started this process, so `clientRoots` is true unless the options say otherwise.
 * @returns Resolves when the client has closed its side; calls in flight are aborted then.
 * @throws ConfigurationError naming the option
 */
export async function serveStdio(options: SpeechServerOptions): Promise<void> {
  const server = createSpeechServer({ clientRoots: true, ...options })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has a property, and no addEventListener
  server.onclose = resolve
  const end = (): void => {
    server.close().then(resolve, resolve)
  }
  // The SDK's transport does not close itself at the end of the input.
  process.stdin.once('end', end).once('close', end)
  await server.connect(new StdioServerTransport())
  await closed
}
