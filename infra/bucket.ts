// Files, parts, manifests and large payloads: private, encrypted, over TLS only; browsers may PUT presigned parts.
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { areas } from '../lib/core/objects.ts';
import { acknowledge, acknowledgeWildcards } from './acknowledge.ts';
import type { ServiceFunction } from './service-function.ts';
import { type Settings, tlsOnly } from './settings.ts';

const INBOX = 'inbox/' satisfies `${(typeof areas)[number]}/`;

export class ObjectBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: tlsOnly(settings),
      lifecycleRules: [
        { id: 'abandoned-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // What `putPassingFile` puts.
        { id: 'passing', tagFilters: { keep: 'passing' }, expiration: Duration.days(1) },
        // What is dropped is copied when it is taken; what was refused may be looked at for so long.
        { id: 'inbox', prefix: INBOX, expiration: Duration.days(14) },
      ],
      cors: [
        {
          allowedMethods: [HttpMethods.PUT],
          allowedOrigins: settings.uploadOrigins,
          allowedHeaders: ['*'],
          exposedHeaders: ['ETag'],
          maxAge: 3600,
        },
      ],
      removalPolicy: settings.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const ownLog = 'Access logs of every object cost more than the objects; data events of CloudTrail serve audits.';
    acknowledge(this.bucket, ownLog, 'AwsSolutions-S1');
  }

  /** Listing is what lets S3 say "not there" (404) rather than "not allowed" (403) for an object that is absent. */
  allowRead(user: ServiceFunction): void {
    user.allow(['s3:GetObject'], [this.bucket.arnForObjects('*')]);
    user.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    this.#acknowledgeKeys(user);
  }

  /** Writes, multipart uploads among them; and what an upload given up leaves behind is removed. */
  allowWrite(user: ServiceFunction): void {
    user.allow(['s3:PutObject', 's3:AbortMultipartUpload'], [this.bucket.arnForObjects('*')]);
    this.#acknowledgeKeys(user);
  }

  /**
   * Calls it with what is put into the inbox. Written into the bucket's own resource: the CDK's way to say it deploys a function that may
   * change the notifications of every bucket. The bucket waits for the right to call, which can name its account only, not the bucket.
   */
  tellInbox(hearer: ServiceFunction): void {
    hearer.live.addPermission('FromInbox', {
      principal: new ServicePrincipal('s3.amazonaws.com'),
      sourceAccount: Stack.of(this).account,
    });
    const resource = this.bucket.node.defaultChild as CfnBucket;
    const rules = [{ name: 'prefix', value: INBOX }];
    resource.notificationConfiguration = {
      lambdaConfigurations: [
        { event: 's3:ObjectCreated:*', function: hearer.live.functionArn, filter: { s3Key: { rules } } },
      ],
    };
    resource.node.addDependency(hearer.live.node.findChild('FromInbox'));
  }

  /** Manifests that another has taken the place of: what they say may have to be gone. */
  allowReplace(user: ServiceFunction): void {
    const manifests = this.bucket.arnForObjects('*/manifest*.json');
    user.allow(['s3:DeleteObject'], [manifests]);
    acknowledgeWildcards(user.role, 'Every tenant has tables.', [manifests]);
  }

  /** Results of queries: nothing else can be written, and the tag makes each go by itself. */
  allowResults(user: ServiceFunction): void {
    const results = this.bucket.arnForObjects('*/results/*');
    user.allow(['s3:PutObject', 's3:PutObjectTagging', 's3:AbortMultipartUpload'], [results]);
    acknowledgeWildcards(user.role, 'Every tenant asks queries.', [results]);
  }

  /** Pieces of tables that no snapshot names any more. */
  allowForgetTables(user: ServiceFunction): void {
    const ofTables = this.bucket.arnForObjects('*/tables/*');
    user.allow(['s3:DeleteObject'], [ofTables]);
    acknowledgeWildcards(user.role, 'Every tenant has tables.', [ofTables]);
  }

  /** Everything of a table, a dataset or a workspace that is purged, in all of its folders; every version, where the bucket keeps several. */
  allowPurge(user: ServiceFunction): void {
    const folders = ['datasets', 'results', 'search', 'jobs'].map((folder) => `*/${folder}/*`);
    this.#allowRemoval(user, [...folders, ...areas.map((area) => `${area}/*`)], 'Every tenant has workspaces.');
  }

  /** Uploaded files that are deleted; every version, where the bucket keeps several. */
  allowRemoveFiles(user: ServiceFunction): void {
    this.#allowRemoval(user, ['*/files/*'], 'Every tenant has files.');
  }

  #allowRemoval(user: ServiceFunction, keys: readonly string[], reason: string): void {
    const below = keys.map((pattern) => this.bucket.arnForObjects(pattern));
    user.allow(['s3:DeleteObject', 's3:DeleteObjectVersion'], below);
    user.allow(['s3:ListBucketVersions'], [this.bucket.bucketArn]);
    acknowledgeWildcards(user.role, reason, below);
  }

  /** What rows of jobs refer to, and goes with them. */
  allowForget(user: ServiceFunction): void {
    const ofJobs = this.bucket.arnForObjects('*/jobs/*');
    user.allow(['s3:GetObject', 's3:DeleteObject'], [ofJobs]);
    user.allow(['s3:ListBucket'], [this.bucket.bucketArn]);
    acknowledgeWildcards(user.role, 'Every tenant has jobs.', [ofJobs]);
  }

  #acknowledgeKeys(user: ServiceFunction): void {
    const everyTenant =
      'The keys of the one bucket start with the tenant and the workspace, and every tenant is served.';
    acknowledgeWildcards(user.role, everyTenant, [this.bucket.arnForObjects('*')]);
  }
}
