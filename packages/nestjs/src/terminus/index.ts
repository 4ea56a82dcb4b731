import { Inject, Injectable } from '@nestjs/common'
import { ModuleRef } from '@nestjs/core'
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus'
import type { AudioClient } from '@svc-audio/core'
import { failureAnswer } from '@svc-audio/upload'
import { sharedClientToken } from '../audio-client.ts'

/** Options of {@link AudioHealthIndicator.isHealthy}. */
export interface AudioHealthOptions {
  /** Name of the client. @default the client without a name */
  readonly client?: string
  /** Deadline of the check, in milliseconds. @default 3000 */
  readonly timeout?: number
  /** How long a result is reused, in milliseconds. Every load balancer sends probes. @default 5000 */
  readonly maxAge?: number
}

/** A check, and when it started. */
interface Check {
  readonly start: number
  readonly code: Promise<string | undefined>
}

/**
 * Tells `@nestjs/terminus` whether the audio service answers. List it among the `providers` of the module with the health
 * controller.
 *
 * @example
 * @Get()
 * @HealthCheck()
 * check() {
 *   return this.health.check([() => this.audio.isHealthy('audio')])
 * }
 */
@Injectable()
export class AudioHealthIndicator {
  readonly #indicators: HealthIndicatorService
  readonly #modules: ModuleRef
  readonly #checks = new Map<string | undefined, Check>()

  constructor(
    @Inject(HealthIndicatorService) indicators: HealthIndicatorService,
    @Inject(ModuleRef) modules: ModuleRef,
  ) {
    this.#indicators = indicators
    this.#modules = modules
  }

  /**
   * Lists the models, which is free and needs a valid key. A failed check has a `code` such as
   * `audio_service_unavailable`, without the service's message.
   *
   * @param key Name of the result.
   */
  async isHealthy<Key extends string>(
    key: Key,
    { client, timeout = 3000, maxAge = 5000 }: AudioHealthOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const indicator = this.#indicators.check(key)
    const now = performance.now()
    let check = this.#checks.get(client)
    if (check === undefined || now - check.start > maxAge) {
      check = { start: now, code: this.#ask(client, timeout) }
      this.#checks.set(client, check)
    }
    const code = await check.code
    return code === undefined ? indicator.up() : indicator.down({ code })
  }

  /** @returns the code of the failure */
  async #ask(name: string | undefined, timeout: number): Promise<string | undefined> {
    const audio = this.#modules.get<AudioClient>(sharedClientToken(name), { strict: false })
    try {
      await audio.models.list({ timeout, maxRetries: 0 })
      return undefined
    } catch (error) {
      return failureAnswer(error)?.code ?? 'internal_error'
    }
  }
}
