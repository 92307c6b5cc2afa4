import Database from 'better-sqlite3';
import {mkdtempSync,rmSync} from 'node:fs';import {tmpdir} from 'node:os';import {crc32} from 'node:zlib';import {randomBytes} from 'node:crypto';
import { schema } from './src/ledger/stores/sqlite/schema.ts';
const N=+(process.argv[2]??40000),G=64,drop=process.argv[3];
const dir=mkdtempSync(tmpdir()+'/mv-');const db=new Database(dir+'/l.db');
for(const p of ['journal_mode=WAL','synchronous=FULL','foreign_keys=ON','recursive_triggers=ON'])db.pragma(p);
db.exec(schema());
if(process.env.X)db.exec(process.env.X);
db.exec("INSERT INTO accounts(id,identity) VALUES(1,'x'); INSERT INTO batches(id,ordinal,key,generation,lineage,state,account,account_name,sandbox,vendor,operation,input_path,input_sha256,input_rows,settings,created_at,budget) VALUES(77,0,'k',1,'l','open',1,'a',0,'provider','enrich-company','p','s',1,'{}',0,99999999); INSERT INTO boots VALUES(1,'b',0,0,0,0,0)".replace('VALUES(1,\'b\',0,0,0,0,0)',"(id,boot,seen_at,seen_uptime,sum) VALUES(1,'b',0,0,0)"));
if(drop)for(const {name} of db.prepare("select name from sqlite_schema where type='trigger' and name like ?").all(drop==='guards'?'%':drop) as any)if(drop!=='guards'||!new RegExp('^('+(process.argv[4]??'x')+')$').test(name))db.exec('DROP TRIGGER '+name);
const P=(s:string)=>db.prepare(s);const begin=P('BEGIN IMMEDIATE'),commit=P('COMMIT');
const find=P('SELECT id,state,stands FROM calls WHERE substr(key,1,4)=substr(+?,1,4) AND key=+?');
const insCall=P('INSERT INTO calls(id,key,account,operation,question,credits_most,sum) VALUES(?,?,?,?,?,?,?)');
const insA=P('INSERT INTO attempts VALUES(?,?,?,?,?,?,?,?,?,?,?)'),insRe=P('INSERT INTO replies(id,of,call,at,status,sum,headers,body,content_sum) VALUES(?,?,?,?,?,?,?,?,?)'),insEnd=P('INSERT INTO ends(id,of,kind,call,pays,reserved,spent,held,at,said,status,dialect,estimated,sum) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)');
let sums=0;const cs=(c:any[])=>{const v=crc32(JSON.stringify(c))|0;sums+=v;return v;};
const insG=P('INSERT INTO groups VALUES(?,?,?,?)'),insR=P('INSERT INTO rows(batch,row,outcome,matched_by,answers,input,sum) VALUES(?,?,?,?,?,?,?)');
const body=Buffer.from(JSON.stringify({id:'x'.repeat(20),name:'y'.repeat(60),location:{city:'Sydney'},industry:'z'.repeat(60),site:'https://example.com/a'})),HEAD='{"content-type":"application/json","date":"Sun, 22 Nov 2026 13:42:03 GMT"}',q='{"parameters":{"abn":"51824753556"},"ifLost":"hold"}';
let next=1;const now=Date.now();
const keys=Array.from({length:N},()=>randomBytes(32));
function txn(R:any[],E:any[],I:number[]){begin.run();const first=next;sums=0;
 for(const x of R){const id=next++;const c=[id,x.at,x.call,now,200];insRe.run(...c,cs(c),HEAD,body,crc32(body)|0);}
 for(const x of E){const id=next++;const c=[id,x.at,'answered',x.call,null,-1,1,0,now,'found',200,123456789012,0];insEnd.run(...c,cs(c));insR.run(77,x.row,'matched','abn','['+x.at+']',123456789,crc32(`${x.row},1,abn,${x.at}`)|0);}
 const out=I.map(i=>{const k=keys[i]!;find.get(k,k);const id=next++;insCall.run(id,k,1,'enrich-company',q,1,crc32(k)|0);const c=[id,'intent',id,null,77,i+2,1,now,1,12345678];insA.run(...c,cs(c));return {call:id,row:i+2,at:id};});
 if(next>first)insG.run(next-1,first,sums,0);commit.run();return out;}
let gs:number[][]=[];for(let i=0;i<N;i+=G)gs.push(Array.from({length:Math.min(G,N-i)},(_,k)=>i+k));
const c0=process.cpuUsage();let a:any[]=[],b:any[]=[];
for(let i=0;i<gs.length+2;i++){const I=gs[i]??[];const o=txn(a,b,I);b=a;a=o;}
const c=process.cpuUsage(c0);console.log(drop??'all','cpu µs/row',((c.user+c.system)/N).toFixed(1),'user',(c.user/N).toFixed(1),JSON.stringify(db.prepare("SELECT state,count(*) n FROM calls GROUP BY 1").all()),JSON.stringify(db.prepare("SELECT * FROM totals").all()));
db.pragma('wal_checkpoint(TRUNCATE)');
console.log('bytes a row', (Number(db.pragma('page_count',{simple:true}))*4096/N).toFixed(0),'beside body',(Number(db.pragma('page_count',{simple:true}))*4096/N-body.length).toFixed(0));
console.log(JSON.stringify(db.prepare("SELECT * FROM tallies").all()),JSON.stringify(db.prepare("SELECT answers,answers_not_404,last_other FROM accounts").all()));
db.close();rmSync(dir,{recursive:true});
