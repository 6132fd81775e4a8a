"""A box as a STEP file: the fewest entities that Open Cascade reads."""

from __future__ import annotations

from pathlib import Path

HEAD = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('box','2020-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
#1=APPLICATION_CONTEXT('automotive design');
#2=APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,#1);
#3=PRODUCT_CONTEXT('',#1,'mechanical');
#4=PRODUCT('box','box','',(#3));
#5=PRODUCT_DEFINITION_FORMATION('','',#4);
#6=PRODUCT_DEFINITION_CONTEXT('part definition',#1,'design');
#7=PRODUCT_DEFINITION('design','',#5,#6);
#8=PRODUCT_DEFINITION_SHAPE('','',#7);
#9=SHAPE_DEFINITION_REPRESENTATION(#8,#10);
#10=FACETED_BREP_SHAPE_REPRESENTATION('',(#20),#11);
#11=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#15))GLOBAL_UNIT_ASSIGNED_CONTEXT((#12,#13,#14))REPRESENTATION_CONTEXT('',''));
#12=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));
#13=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));
#14=(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT());
#15=UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),#12,'','');
"""
FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
NORMALS = ("0.,0.,-1.", "0.,0.,1.", "0.,-1.,0.", "1.,0.,0.", "0.,1.,0.", "-1.,0.,0.")
ACROSS = ("1.,0.,0.", "1.,0.,0.", "1.,0.,0.", "0.,1.,0.", "1.,0.,0.", "0.,1.,0.")


def write_step_box(path: Path, size: tuple[float, float, float]) -> Path:
    """Write a box from the origin to `size` [mm]."""
    x, y, z = size
    corners = [(0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0), (0, 0, z), (x, 0, z), (x, y, z), (0, y, z)]
    lines = [f"#{30 + i}=CARTESIAN_POINT('',({a:.6f},{b:.6f},{c:.6f}));" for i, (a, b, c) in enumerate(corners)]
    for k, face in enumerate(FACES):
        loop = ",".join(f"#{30 + i}" for i in face)
        lines += [
            f"#{50 + k}=POLY_LOOP('',({loop}));",
            f"#{60 + k}=FACE_OUTER_BOUND('',#{50 + k},.T.);",
            f"#{80 + k}=DIRECTION('',({NORMALS[k]}));",
            f"#{90 + k}=DIRECTION('',({ACROSS[k]}));",
            f"#{100 + k}=AXIS2_PLACEMENT_3D('',#{30 + face[0]},#{80 + k},#{90 + k});",
            f"#{110 + k}=PLANE('',#{100 + k});",
            f"#{70 + k}=FACE_SURFACE('',(#{60 + k}),#{110 + k},.T.);",
        ]
    shell = ",".join(f"#{70 + k}" for k in range(6))
    lines += [f"#21=CLOSED_SHELL('',({shell}));", "#20=FACETED_BREP('',#21);", "ENDSEC;", "END-ISO-10303-21;", ""]
    path.write_text(HEAD + "\n".join(lines))
    return path
