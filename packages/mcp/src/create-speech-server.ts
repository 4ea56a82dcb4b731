import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { createSpeechOperations, type CreatedOperations, type SpeechToolsOptions } from '@svc-audio/agent-tools'
import { ConfigurationError } from '@svc-audio/core'
import { callback, findOptionFault, flag, methods, oneOf, optional, type OptionRule } from '@svc-audio/options'
import { hasPaths } from './audio-paths.ts'
import { AudioResources } from './audio-resources.ts'
import { callTool, describeTools } from './call-tool.ts'
import { ClientRoots } from './client-roots.ts'
import { PLAY } from './play-tool.ts'
import { AUDIO_OUTPUTS, type ServerContext, type ServerSettings } from './server-context.ts'
import { packageVersion } from './version.ts'

export type { McpRunContext } from './request-scope.ts'

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

/** Checks the options. @throws ConfigurationError naming the option */
export function serverParts(options: SpeechServerOptions): ServerParts {
  const { output, player, clientRoots = false, onFailure, ...tools } = options
  const fault = findOptionFault({ output, player, clientRoots, onFailure }, RULES, 'createSpeechServer()')
  if (fault !== undefined) throw new ConfigurationError(fault.message)
  const created = createSpeechOperations(tools, { callerRoots: clientRoots })
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
  onFailure: optional(callback),
}
