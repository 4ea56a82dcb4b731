import { configure as serverlessExpress } from '@codegenie/serverless-express'
import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module.ts'

const app = await NestFactory.create(AppModule)
await app.init()

export const handler = serverlessExpress({
  app: app.getHttpAdapter().getInstance(),
  // Without it, the adapter returns audio as text.
  binarySettings: { contentTypes: ['audio/*'] },
})
