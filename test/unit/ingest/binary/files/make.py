# Makes the files of this folder: every type of Arrow and Avro, at its ends, written by the libraries that most people use
# (pyarrow 26.0.1, fastavro 1.13.1). Run in this folder: python make.py
import datetime as dt
import decimal
import uuid
import fastavro
import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc

D=decimal.Decimal
cols = {
 'i8': pa.array([-128,None,127], pa.int8()), 'u8': pa.array([0,None,255],pa.uint8()), 'i16':pa.array([-32768,None,32767],pa.int16()),
 'u16':pa.array([0,None,65535],pa.uint16()),'i32':pa.array([-2**31,None,2**31-1],pa.int32()),'u32':pa.array([0,None,2**32-1],pa.uint32()),
 'i64':pa.array([-2**63,None,2**63-1],pa.int64()),'u64':pa.array([0,None,2**64-1],pa.uint64()),
 'f16':pa.array(np.array([0.1,-0.0,65504],np.float16)),'f32':pa.array([0.1,float('nan'),-0.0],pa.float32()),'f64':pa.array([0.1,float('inf'),None],pa.float64()),
 'b':pa.array([True,None,False]),'nul':pa.nulls(3),
 'd32':pa.array([dt.date(2020,2,29),None,dt.date(1,1,1)],pa.date32()),'d64':pa.array([dt.date(2020,2,29),None,dt.date(9999,12,31)],pa.date64()),
 't32s':pa.array([dt.time(1,2,3),None,dt.time(23,59,59)],pa.time32('s')),'t64n':pa.array([1,None,86399999999999],pa.time64('ns')),'t64u':pa.array([1,None,86399999999],pa.time64('us')),
 'tss':pa.array([0,None,-1],pa.timestamp('s')),'tsn':pa.array([1,None,-1],pa.timestamp('ns')),'tsz':pa.array([1,None,-1],pa.timestamp('us','Europe/Oslo')),'tszn':pa.array([1,None,-1000],pa.timestamp('ns','UTC')),
 'tsfar':pa.array([10**17,None,0],pa.timestamp('s')),
 'dur':pa.array([1,None,-5],pa.duration('ms')),'mdn':pa.array([(1,2,3001),None,(0,0,-1)],pa.month_day_nano_interval()),
 'dec':pa.array([D('1.10'),None,D('-0.05')],pa.decimal128(38,2)),'dec256':pa.array([D('1.10'),None,D('-123456789012345678901234567890123456789012.05')],pa.decimal256(60,2)),
 'decneg':pa.array([D('1200'),None,D('-100')],pa.decimal128(5,-2)),
 's':pa.array(['a\0b',None,'é😀']),'ls':pa.array(['x',None,''],pa.large_string()),'sv':pa.array(['short',None,'a much longer string than twelve'],pa.string_view()),
 'bin':pa.array([b'\0\xff',None,b''],pa.binary()),'fsb':pa.array([b'abc',None,b'def'],pa.binary(3)),
 'dict':pa.array(['x','y','x']).dictionary_encode(),
 'list':pa.array([[1,None,3],None,[]],pa.list_(pa.int64())),'llist':pa.array([['a'],None,['b','c']],pa.large_list(pa.string())),'fl':pa.array([[1,2],None,[3,4]],pa.list_(pa.int32(),2)),
 'st':pa.array([{'a':1,'A':'x'},None,{'a':None,'A':None}],pa.struct([('a',pa.int64()),('A',pa.string())])),
 'map':pa.array([[('k',1)],None,[('a',1),('b',None)]],pa.map_(pa.string(),pa.int32())),
 'mapdup':pa.array([[('k',1),('k',2)],None,[]],pa.map_(pa.string(),pa.int32())),
 'lst':pa.array([[{'x':[D('1.5')]}],None,[{'x':None},None]],pa.list_(pa.struct([('x',pa.list_(pa.decimal128(5,1)))]))),
 'su':pa.UnionArray.from_sparse(pa.array([0,1,0],pa.int8()),[pa.array([1,2,3]),pa.array(['a','b','c'])],['n','t']),
 'du':pa.UnionArray.from_dense(pa.array([0,1,0],pa.int8()),pa.array([0,0,1],pa.int32()),[pa.array([1,None]),pa.array(['z'])]),
 'ree':pa.RunEndEncoded.from_arrays(pa.array([2,3],pa.int32()),pa.array(['r1','r2'])) if hasattr(pa,'RunEndEncoded') else pa.RunEndEncodedArray.from_arrays(pa.array([2,3],pa.int32()),pa.array(['r1','r2'])),
 'lv':pa.array([[1],None,[2,3]],pa.list_view(pa.int64())),
}
t=pa.table(cols)
def w(p,comp=None,stream=False,t=t,**k):
    o=ipc.IpcWriteOptions(compression=comp,**k)
    W=(ipc.new_stream if stream else ipc.new_file)(p,t.schema,options=o)
    W.write_table(t); W.close()
w('all.arrow'); w('all-lz4.arrow','lz4'); w('all-zstd.feather','zstd'); w('all.arrows',None,True)
# replaced and delta dictionaries in a stream
s=pa.schema([('d',pa.dictionary(pa.int8(),pa.string()))])
for name,delta in (('delta.arrows',True),('replace.arrows',False)):
    W=ipc.new_stream(name,s,options=ipc.IpcWriteOptions(emit_dictionary_deltas=delta))
    W.write_batch(pa.record_batch([pa.DictionaryArray.from_arrays(pa.array([0,1],pa.int8()),pa.array(['a','b']))],schema=s))
    W.write_batch(pa.record_batch([pa.DictionaryArray.from_arrays(pa.array([2,0],pa.int8()),pa.array(['a','b','c'] if delta else ['x','y','z']))],schema=s)); W.close()

U=dt.timezone.utc
F=[('nul','null',None,None),('b','boolean',True,False),('i','int',-2**31,2**31-1),('l','long',-2**63,2**63-1),('f','float',0.1,float('nan')),('d','double',-0.0,1e300),
('by','bytes',b'\0\xff',b''),('s','string','é😀',''),('ns',['null','string'],None,'x'),('sn',['string','null'],'a',None),('u3',['null','int','string'],5,'t'),
('en',{'type':'enum','name':'E','symbols':['A','B']},'A','B'),('fx',{'type':'fixed','name':'Fx','size':3},b'abc',b'def'),
('ar',{'type':'array','items':['null','long']},[1,None],[]),('mp',{'type':'map','values':'int'},{'k':1,'j':2},{}),
('re',{'type':'record','name':'R','fields':[{'name':'x','type':'int'},{'name':'y','type':['null','E']}]},{'x':1,'y':'A'},{'x':2,'y':None}),
('re2','R',{'x':1,'y':'A'},{'x':2,'y':None}),
('da',{'type':'int','logicalType':'date'},dt.date(2020,2,29),dt.date(1,1,1)),('tm',{'type':'int','logicalType':'time-millis'},dt.time(1,2,3,4000),dt.time(0)),('tu',{'type':'long','logicalType':'time-micros'},dt.time(1,2,3,4),dt.time(23,59,59,999999)),
('ts',{'type':'long','logicalType':'timestamp-millis'},dt.datetime(2020,1,1,tzinfo=U),dt.datetime(1969,12,31,tzinfo=U)),('tsu',{'type':'long','logicalType':'timestamp-micros'},dt.datetime(2020,1,1,0,0,0,1,tzinfo=U),dt.datetime(1969,12,31,tzinfo=U)),
('lts',{'type':'long','logicalType':'local-timestamp-micros'},dt.datetime(2020,1,1,0,0,0,1),dt.datetime(1969,12,31)),('tsn',{'type':'long','logicalType':'timestamp-nanos'},1,2000),('lin',{'type':'long','logicalType':'local-timestamp-nanos'},1,-1),
('de',{'type':'bytes','logicalType':'decimal','precision':38,'scale':2},decimal.Decimal('-1.10'),decimal.Decimal('123456789012345678901234567890.05')),
('df',{'type':'fixed','name':'Dx','size':5,'logicalType':'decimal','precision':10,'scale':3},decimal.Decimal('-1.100'),decimal.Decimal('0.001')),
('de50',{'type':'bytes','logicalType':'decimal','precision':50,'scale':2},decimal.Decimal('-1.10'),decimal.Decimal('0')),
('us',{'type':'string','logicalType':'uuid'},uuid.UUID(int=5),uuid.UUID(int=7)),
('du',{'type':'fixed','name':'Du','size':12,'logicalType':'duration'},b'\1\0\0\0\2\0\0\0\3\0\0\0',b'\0'*12),
]
schema={'type':'record','name':'Top','namespace':'a.b','fields':[{'name':n,'type':t} for n,t,_,_ in F]}
decimal.getcontext().prec=60
rows=[{n:a for n,_,a,_ in F},{n:b for n,_,_,b in F}]
for c in ['null','deflate','snappy','zstandard','bzip2']:
    with open(f'all-{c}.avro','wb') as o: fastavro.writer(o,schema,rows,codec=c)
