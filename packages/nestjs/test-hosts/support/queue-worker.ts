// A process with one worker of the recipe's queue. Arguments: the addresses of the service and of Redis.
import 'reflect-metadata'
import { BullModule, Processor } from '@nestjs/bullmq'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AudioModule } from '@svc-audio/nestjs'
// @boundaries-ignore the recipe is the example's code
import { TranscriptsProcessor } from '../../../../examples/nestjs/src/transcripts.processor.ts'

const [baseUrl = '', url = ''] = process.argv.slice(2)

/** The recipe's processor with a lock that expires soon. */
@Processor('transcripts', { concurrency: 20, lockDuration: 1000, stalledInterval: 300 })
class ImpatientProcessor extends TranscriptsProcessor {}

@Module({
  imports: [
    AudioModule.forRoot({ apiKey: 'key', baseUrl }),
    BullModule.forRoot({ connection: { url } }),
    BullModule.registerQueue({ name: 'transcripts' }),
  ],
  providers: [ImpatientProcessor],
})
class WorkerModule {}

const app = await NestFactory.createApplicationContext(WorkerModule, { logger: ['error'] })
app.enableShutdownHooks()
process.stdout.write('ready\n')
