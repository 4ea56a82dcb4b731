#!/usr/bin/env node
import { folderAudioStore, SPEECH_TOOLS } from '@svc-audio/agent-tools'
import { AudioClient, SvcAudioError } from '@svc-audio/core'
import { type CliArguments, HELP, readArguments } from './arguments.ts'
import { checkSetup, failureLine } from './check-setup.ts'
import { packageVersion, serveStdio, type SpeechServerOptions } from './create-speech-server.ts'
import { findPlayer } from './player.ts'
import { serveHttp } from './serve-http.ts'

try {
  await main(readArguments(process.argv.slice(2), process.env))
} catch (error) {
  say(SvcAudioError.isInstance(error) ? error.message : String(error))
  process.exitCode = 1
}

/** Standard output belongs to the protocol. */
function say(line: string): void {
  console.error(`svc-audio-mcp: ${line}`)
}

async function main(args: CliArguments): Promise<void> {
  if (args.command === 'help') return void process.stdout.write(HELP)
  if (args.command === 'version') return void process.stdout.write(`${packageVersion()}\n`)
  const client = new AudioClient()
  try {
    const store = folderAudioStore(args.folder)
    const { faults, voice_id } = await checkSetup({ client, voice_id: args.voice, store, folder: args.folder })
    for (const { message } of faults) say(message)
    if (args.command === 'check') return await report(args, client.baseUrl, voice_id, faults.length)
    // A service that does not answer may be up later.
    if (voice_id === undefined || faults.some(({ lasting }) => lasting)) {
      process.exitCode = 1
      return
    }
    const options = await optionsOf(args, { client, store, voice_id })
    if (args.command === 'stdio') await serveStdio(options)
    else await untilStopped(options, args)
  } finally {
    await client.close()
  }
}

async function report(
  { folder, play }: CliArguments,
  baseUrl: string,
  voice: string | undefined,
  faults: number,
): Promise<void> {
  const player = play ? await findPlayer() : undefined
  const lines = [
    `service  ${baseUrl}`,
    `voice    ${voice ?? 'none'}`,
    `folder   ${folder}`,
    `player   ${player?.name ?? 'none'}`,
    faults === 0 ? 'Everything works.' : `${faults} ${faults === 1 ? 'problem' : 'problems'}: see above.`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  if (faults > 0) process.exitCode = 1
}

async function optionsOf(
  {
    command,
    allowUrls,
    allowedRoot,
    urlHosts,
    model,
    transcriptionModel,
    taskAfter,
    output,
    play,
    ...given
  }: CliArguments,
  tools: Pick<SpeechServerOptions, 'client' | 'store' | 'voice_id'>,
): Promise<SpeechServerOptions> {
  const isLocal = command === 'stdio'
  return {
    ...tools,
    allowUrls,
    output: output ?? (isLocal ? 'file' : 'reference'),
    player: isLocal && play ? await findPlayer() : undefined,
    clientRoots: isLocal && given.clientRoots,
    serviceVoices: given.serviceVoices,
    ...(given.newVoices ? { tools: SPEECH_TOOLS.filter((tool) => tool !== 'design_voice') } : {}),
    ...(urlHosts === undefined ? {} : { urlHosts }),
    onFailure: (failure) => say(failureLine(failure)),
    ...(allowedRoot === undefined ? {} : { allowedRoot }),
    ...(model === undefined ? {} : { model }),
    ...(transcriptionModel === undefined ? {} : { transcriptionModel }),
    ...(taskAfter === undefined ? {} : { taskAfter }),
  }
}

async function untilStopped(
  options: SpeechServerOptions,
  { port, host, token, allowedHosts, allowedOrigins, stateless, maxSessions, idleTimeout }: CliArguments,
): Promise<void> {
  const server = await serveHttp({
    ...options,
    port,
    host,
    stateless,
    ...(maxSessions === undefined ? {} : { maxSessions }),
    ...(idleTimeout === undefined ? {} : { idleTimeout }),
    ...(token === undefined ? {} : { token }),
    ...(allowedHosts === undefined ? {} : { allowedHosts }),
    ...(allowedOrigins === undefined ? {} : { allowedOrigins }),
  })
  say(`listening on ${server.url}`)
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve())
  await stopped
  await server.close()
}
