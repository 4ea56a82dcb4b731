import 'reflect-metadata'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Controller, HttpCode, Injectable, type ModuleMetadata, Post, UseGuards, UseInterceptors } from '@nestjs/common'
import { AuthGuard, PassportStrategy } from '@nestjs/passport'
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler'
import { refusedUpload, startProxy, writeLongFile } from '@svc-audio/kit/hosts/refusal-suite'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AudioModule, TranscribeUploadInterceptor } from '../src/index.ts'
import { KEY, PLATFORMS, startApp } from '../test/support/app.ts'

// Guards of other packages, which know nothing of uploads, behind nginx with its defaults.

/** Uploads of each guard. */
const TIMES = 48
const PARALLEL = 6
const FILE_BYTES = 60_000_000

/** A strategy of Passport that knows nobody. */
class Stranger {
  readonly name = 'stranger'

  authenticate(this: Stranger & { fail(status: number): void }): void {
    this.fail(401)
  }
}

@Injectable()
class NoLogin extends PassportStrategy(Stranger, 'stranger') {
  validate(): void {}
}

@Controller()
class WithPassport {
  @Post('guarded')
  @UseGuards(AuthGuard('stranger'))
  @UseInterceptors(TranscribeUploadInterceptor())
  transcribe(): void {}
}

@Controller()
class Throttled {
  @Post('guarded')
  @HttpCode(200)
  @UseGuards(ThrottlerGuard)
  @UseInterceptors(TranscribeUploadInterceptor())
  transcribe(): void {}
}

const GUARDS: Readonly<Record<string, { readonly status: number; readonly metadata: ModuleMetadata }>> = {
  Passport: { status: 401, metadata: { controllers: [WithPassport], providers: [NoLogin] } },
  'the throttler': {
    status: 429,
    metadata: { controllers: [Throttled], imports: [ThrottlerModule.forRoot([{ ttl: 600_000, limit: 0 }])] },
  },
}

let upstream: TestUpstream
let folder: string
let file: string
beforeAll(async () => {
  upstream = await createTestUpstream({ apiKey: KEY })
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-guards-'))
  file = join(folder, 'long.wav')
  await writeLongFile(file, FILE_BYTES)
})
afterAll(async () => {
  await upstream.close()
  await rm(folder, { recursive: true, force: true })
})

const FRONTS = ['nginx', 'nginx-recipe'] as const
const cases = PLATFORMS.flatMap((platform) =>
  Object.keys(GUARDS).flatMap((guard) => FRONTS.map((front) => [platform, guard, front] as const)),
)

test.each(cases)('on %s, every upload that %s refuses behind %s gets its response', async (platform, guard, front) => {
  const { status, metadata } = GUARDS[guard] ?? { status: 0, metadata: {} }
  const { imports = [] } = metadata
  const audio = AudioModule.forRoot({ apiKey: KEY, baseUrl: upstream.url })
  const app = await startApp(platform, { ...metadata, imports: [...imports, audio] })
  await using proxy = await startProxy(front, Number(new URL(app.url).port))
  const statuses: Record<number, number> = {}
  let left = TIMES
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const seen = await refusedUpload(proxy.url, 'a caller whom a guard refuses', file)
      statuses[seen.status] = (statuses[seen.status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, send))
  await app.close()
  expect(statuses).toEqual({ [status]: TIMES })
})
